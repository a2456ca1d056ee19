// Published ports of the compose file: connections go to the service's containers in turn; with a range, each container has
// its own port.
import { connect, createServer } from 'node:net'

/** A port to open on this machine, and the ports of containers behind it. */
export interface Published {
  host: string
  port: number
  targets: number[]
}

/**
 * `text` as in the file, `targets` the ports that replace the container's. Throws if the length of the range differs from the
 * number of containers.
 *
 *   127.0.0.1:8080:8080 · targets 40001, 40002  →  8080 to both in turn
 *   8080-8081:8080 · targets 40001, 40002       →  8080 to the one, 8081 to the other, on every address
 */
export function readPublished(text: string, targets: number[]): Published[] {
  const parts = text.split(':')
  const host = parts.length > 2 ? parts[0]! : '0.0.0.0'
  const outer = parts.at(-2)!
  const [first, last = first] = outer.split('-').map(Number) as [number, number?]
  if (first === last) return [{ host, port: first, targets }]
  const length = last - first + 1
  if (length !== targets.length) {
    throw new Error(`The range of ports ${outer} takes ${length} containers; there are ${targets.length}.`)
  }
  return targets.map((target, at) => ({ host, port: first + at, targets: [target] }))
}

/** Rejects if the port is in use. */
export async function publish({
  host,
  port,
  targets,
}: Published): Promise<{ address: string; close(): void }> {
  let turn = 0
  const server = createServer((socket) => {
    const far = connect(targets[turn++ % targets.length]!, '127.0.0.1')
    for (const [one, other] of [
      [socket, far],
      [far, socket],
    ] as const) {
      one.on('error', () => other.destroy())
      one.on('close', () => other.destroy())
    }
    socket.pipe(far).pipe(socket)
  })
  await new Promise<void>((resolve, reject) => {
    server.on('error', reject)
    server.listen(port, host, resolve)
  })
  server.unref()
  return { address: `${host === '0.0.0.0' ? '127.0.0.1' : host}:${port}`, close: () => server.close() }
}
