// Clients that send all but the last byte of a body, in a separate process, so that the server's memory can be measured.
import { connect, type Socket } from 'node:net'

interface Begin {
  port: number
  path: string
  addresses: string[]
  length: number
  authorization: string
}

const clients: { socket: Socket; status: number | null }[] = []

function begin({ port, path, addresses, length, authorization }: Begin) {
  const body = Buffer.alloc(length - 1, 'x')
  return addresses.map((address) => {
    const socket = connect(port, '127.0.0.1')
    const client = { socket, status: null as number | null }
    clients.push(client)
    const head = [
      `POST ${path} HTTP/1.1`,
      'Host: l',
      `X-Forwarded-For: ${address}`,
      `Authorization: ${authorization}`,
      'Content-Type: application/json',
      `Content-Length: ${length}`,
    ]
    socket.on('error', () => {})
    socket.on('data', (data) => {
      client.status ??= Number(/^HTTP\/1\.1 (\d+)/.exec(data.toString())![1])
    })
    return new Promise<void>((resolve) => {
      socket.on('close', () => resolve())
      socket.write(`${head.join('\r\n')}\r\n\r\n`)
      socket.write(body, () => resolve())
    })
  })
}

process.on('message', async (message: { begin?: Begin; leave?: number }) => {
  if (message.begin) await Promise.all(begin(message.begin))
  if (message.leave !== undefined) clients[message.leave]!.socket.destroy()
  process.send!(clients.map(({ status }) => status))
})
