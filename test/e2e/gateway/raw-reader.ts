// A client of the chat that reads when it is told to: a TCP connection, upgraded by hand (RFC 6455). For readers who are
// slow, who vanish, and who send what no stock client would.
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { connect } from 'node:net'

export interface RawReader {
  /** Sends one text frame. */
  send(text: string): void
  /** Stops and starts to read. */
  pause(): void
  resume(): void
  /** Bytes read so far. */
  read(): number
  /** Resolves when the text comes, or has just come. */
  saw(text: string): Promise<void>
  /** Status line of the answer to the upgrade. */
  status: string
  /** Leaves without a close frame, as a network does. */
  vanish(): void
  /** Resolves when the connection is gone. */
  gone: Promise<unknown>
}

/** Resolves when the upgrade was answered. */
export async function openRawReader(
  port: number,
  path: string,
  headers: Record<string, string> = {},
): Promise<RawReader> {
  const socket = connect({ port, host: '127.0.0.1' })
  const lines = [
    `GET ${path} HTTP/1.1`,
    'Host: 127.0.0.1',
    'Upgrade: websocket',
    'Connection: Upgrade',
    'Sec-WebSocket-Version: 13',
    `Sec-WebSocket-Key: ${randomBytes(16).toString('base64')}`,
    ...Object.entries(headers).map(([name, value]) => `${name}: ${value}`),
  ]
  socket.write(`${lines.join('\r\n')}\r\n\r\n`)
  const [answer] = (await once(socket, 'data')) as [Buffer]
  let length = 0
  let tail = ''
  const waiting: { text: string; resolve(): void }[] = []
  socket.on('error', () => {})
  const gone = new Promise((resolve) => socket.on('close', resolve))
  socket.on('data', (chunk: Buffer) => {
    length += chunk.length
    tail = tail.slice(-1000) + chunk.toString('latin1')
    for (const one of waiting) if (tail.includes(one.text)) one.resolve()
  })
  return {
    status: answer.toString('latin1').split('\r\n')[0]!,
    send: (text) => socket.write(toMaskedFrame(Buffer.from(text))),
    pause: () => socket.pause(),
    resume: () => socket.resume(),
    read: () => length,
    saw(text) {
      if (tail.includes(text)) return Promise.resolve()
      return new Promise((resolve) => waiting.push({ text, resolve }))
    },
    vanish: () => socket.destroy(),
    gone,
  }
}

/** FIN, text, masked with zeros: the mask is the client's to choose. */
export function toMaskedFrame(payload: Buffer): Buffer {
  const mask = Buffer.alloc(4)
  if (payload.length < 126) return Buffer.concat([Buffer.from([0x81, 0x80 | payload.length]), mask, payload])
  const head = Buffer.alloc(payload.length < 65_536 ? 4 : 10)
  head[0] = 0x81
  head[1] = 0x80 | (payload.length < 65_536 ? 126 : 127)
  if (payload.length < 65_536) head.writeUInt16BE(payload.length, 2)
  else head.writeBigUInt64BE(BigInt(payload.length), 2)
  return Buffer.concat([head, mask, payload])
}
