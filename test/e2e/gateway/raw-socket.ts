// Upgrades a TCP connection to a WebSocket by hand (RFC 6455), for behavior that no stock client has.
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { connect, type Socket } from 'node:net'

/** Resolves with the raw answer to the upgrade. */
export async function openRawSocket(
  port: number,
  path: string,
  headers: Record<string, string>,
): Promise<{ socket: Socket; answer: string }> {
  const socket = connect({ port, host: '127.0.0.1' }).setNoDelay(true)
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
  return { socket, answer: answer.toString('latin1') }
}

/** FIN, text, masked with zeros, since the client chooses the mask. */
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
