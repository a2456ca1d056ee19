// FerretDB, which speaks MongoDB's protocol on SQLite and replaces it, because MongoDB is only available as an image.
import { mkdtemp, rm } from 'node:fs/promises'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { binaryOf } from './binaries.ts'
import { freePorts, openServer, type ServerProcess } from './server-process.ts'

export interface FerretdbServer extends ServerProcess {
  port: number
  /** A value for LECTERN_MONGODB_URL, without a database. */
  url: string
  /** Stops it and deletes its data. */
  remove(): Promise<void>
}

export async function openFerretdb(): Promise<FerretdbServer> {
  const [port] = (await freePorts(1)) as [number]
  const data = await mkdtemp(join(tmpdir(), 'lectern-ferretdb-'))
  const server = await openServer({
    binary: binaryOf('ferretdb'),
    args: ['-listen', `127.0.0.1:${port}`, '-data', data],
    answers: () => accepts(port),
  })
  return {
    ...server,
    port,
    url: `mongodb://127.0.0.1:${port}/`,
    async remove() {
      await server.kill()
      await rm(data, { recursive: true, force: true })
    },
  }
}

/** Whether something listens there. */
export function accepts(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1')
    const answer = (is: boolean) => () => {
      socket.destroy()
      resolve(is)
    }
    socket.on('connect', answer(true)).on('error', answer(false))
  })
}
