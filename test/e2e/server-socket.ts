// The server's end of a WebSocket, as far as tests need it (RFC 6455): text frames and closing, without pings.
import { createHash } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import type { Duplex } from 'node:stream'

export interface ServerSocket {
  send(text: string): void
  /** Without a code: without a close frame, like a broken network. */
  close(code?: number): void
  /** Resolves when the other end has disconnected. */
  gone: Promise<void>
}

const text = 1
const close = 8

/** Answers the upgrade; calls `heard` with every text message. */
export function acceptSocket(
  request: IncomingMessage,
  stream: Duplex,
  heard: (text: string) => void,
): ServerSocket {
  const key = `${request.headers['sec-websocket-key']}258EAFA5-E914-47DA-95CA-C5AB0DC85B11`
  const accept = createHash('sha1').update(key).digest('base64')
  stream.write(
    `HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Accept: ${accept}\r\n\r\n`,
  )
  let rest = Buffer.alloc(0)
  stream.on('data', (chunk: Buffer) => {
    rest = Buffer.concat([rest, chunk])
    for (let frame = readFrame(rest); frame; frame = readFrame(rest)) {
      rest = rest.subarray(frame.length)
      if (frame.opcode === text) heard(frame.payload.toString())
      else if (frame.opcode === close) stream.end()
    }
  })
  stream.on('error', () => {})
  const gone = new Promise<void>((resolve) => stream.on('close', resolve))
  return {
    send: (payload) => stream.writable && stream.write(toFrame(Buffer.from(payload))),
    close(code) {
      if (code === undefined) stream.destroy()
      else stream.end(Buffer.from([0x88, 2, code >> 8, code & 0xff]))
    },
    gone,
  }
}

/** Masked, as clients send them; null if it is not complete yet. */
function readFrame(bytes: Buffer): { opcode: number; payload: Buffer; length: number } | null {
  if (bytes.length < 2) return null
  const short = bytes[1]! & 0x7f
  const head = short === 126 ? 4 : short === 127 ? 10 : 2
  if (bytes.length < head + 4) return null
  const size =
    short === 126 ? bytes.readUInt16BE(2) : short === 127 ? Number(bytes.readBigUInt64BE(2)) : short
  const length = head + 4 + size
  if (bytes.length < length) return null
  const mask = bytes.subarray(head, head + 4)
  const payload = Buffer.from(bytes.subarray(head + 4, length).map((byte, at) => byte ^ mask[at % 4]!))
  return { opcode: bytes[0]! & 0x0f, payload, length }
}

function toFrame(payload: Buffer): Buffer {
  const size = payload.length
  const head = size < 126 ? Buffer.from([0x81, size]) : Buffer.alloc(size < 65_536 ? 4 : 10)
  if (size >= 126) {
    head[0] = 0x81
    head[1] = size < 65_536 ? 126 : 127
    if (size < 65_536) head.writeUInt16BE(size, 2)
    else head.writeBigUInt64BE(BigInt(size), 2)
  }
  return Buffer.concat([head, payload])
}
