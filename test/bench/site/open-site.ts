// A site served by a separate process on loopback, with its access log.
import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { largeManuals, type Manual } from './manuals.ts'
import type { Mount } from './mount.ts'

export interface Request {
  path: string
  status: number
  /** ms since 1970. */
  at: number
}

export interface BenchSite {
  /** `http://127.0.0.1:port`, without a closing slash. */
  origin: string
  /** Requests since the last call, in order. */
  takeRequests(): Promise<Request[]>
  close(): Promise<void>
}

export async function openSite(mounts: Mount[]): Promise<BenchSite> {
  const server: ChildProcess = fork(
    fileURLToPath(new URL('server.ts', import.meta.url)),
    [JSON.stringify(mounts)],
    { execArgv: ['--disable-warning=ExperimentalWarning'] },
  )
  const [started] = (await once(server, 'message')) as [{ port: number }]
  return {
    origin: `http://127.0.0.1:${started.port}`,
    async takeRequests() {
      const answer = once(server, 'message') as Promise<[{ requests: Request[] }]>
      server.send('requests')
      return (await answer)[0].requests
    },
    async close() {
      server.disconnect()
      await once(server, 'exit')
    },
  }
}

/** The manuals, each in a folder of its name. */
export function openManualSite(served: readonly Manual[] = largeManuals): Promise<BenchSite> {
  return openSite(served.map(toMount))
}

export function toMount(manual: Manual): Mount {
  return { kind: 'folder', path: `/${manual.name}/`, root: manual.root }
}
