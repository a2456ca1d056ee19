// Temporal's development server: a single process with its state in one file.
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { binaryOf } from './binaries.ts'
import { freePorts, openServer, type ServerProcess } from './server-process.ts'

export interface TemporalServer extends ServerProcess {
  port: number
  /** A value for LECTERN_TEMPORAL_ADDRESS: `host:port`. */
  address: string
  /** Stops it and deletes its data. */
  remove(): Promise<void>
}

/** `namespaces`: in addition to `default`. */
export async function openTemporal(namespaces: string[] = []): Promise<TemporalServer> {
  const [port, http, ui, metrics] = (await freePorts(4)) as [number, number, number, number]
  const folder = await mkdtemp(join(tmpdir(), 'lectern-temporal-'))
  const address = `127.0.0.1:${port}`
  const flags: Record<string, string> = {
    '--ip': '127.0.0.1',
    '--port': String(port),
    '--http-port': String(http),
    '--ui-port': String(ui),
    '--metrics-port': String(metrics),
    '--db-filename': join(folder, 'temporal.db'),
    '--log-level': 'error',
  }
  const server = await openServer({
    binary: binaryOf('temporal'),
    args: [
      ...['server', 'start-dev', ...Object.entries(flags).flat()],
      ...namespaces.flatMap((name) => ['--namespace', name]),
    ],
    // A new folder, so that no personal settings are read.
    env: { HOME: folder },
    answers: async () => (await fetch(`http://127.0.0.1:${http}/api/v1/namespaces/default`)).ok,
  })
  return {
    ...server,
    port,
    address,
    async remove() {
      await server.kill()
      await rm(folder, { recursive: true, force: true })
    },
  }
}
