// A published port of the compose file: connections go to the service's containers in turn.
import { connect, createServer } from 'node:net'

/** `port` as in the file: `127.0.0.1:8080:8080`. Rejects where it is taken. */
export async function publish(port: string, targets: number[]): Promise<{ address: string; close(): void }> {
  const parts = port.split(':')
  const [outer, host] = [Number(parts.at(-2)), parts.length > 2 ? parts[0]! : '0.0.0.0']
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
    server.listen(outer, host, resolve)
  })
  server.unref()
  return { address: `${host === '0.0.0.0' ? '127.0.0.1' : host}:${outer}`, close: () => server.close() }
}
