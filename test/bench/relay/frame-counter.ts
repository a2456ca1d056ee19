// A reader of WebSocket frames over bare TCP that does almost nothing with them, so that it measures the
// server (RFC 6455; servers do not mask).
import { openRawSocket, toMaskedFrame } from '../../e2e/gateway/raw-socket.ts'

export interface FrameCounter {
  send(text: string): void
  /** Resolves when this number of frames has arrived. */
  count(frames: number): Promise<void>
  close(): void
}

/** `whenFrame` receives each frame's bytes, which it must not keep, and the time of the read. */
export async function openFrameCounter(
  port: number,
  path: string,
  headers: Record<string, string>,
  whenFrame?: (payload: Buffer) => void,
): Promise<FrameCounter> {
  const { socket, answer } = await openRawSocket(port, path, headers)
  if (!answer.startsWith('HTTP/1.1 101')) throw new Error(`refused: ${answer}`)

  let counted = 0
  let wanted = Number.POSITIVE_INFINITY
  let reached = () => {}
  let rest: Buffer = Buffer.alloc(0)
  socket.on('data', (chunk: Buffer) => {
    const bytes = rest.length === 0 ? chunk : Buffer.concat([rest, chunk])
    let at = 0
    for (;;) {
      const payload = payloadAt(bytes, at)
      if (!payload) break
      // Pings of the server are frames too; only text counts.
      if ((bytes[at]! & 15) === 1) {
        counted++
        whenFrame?.(bytes.subarray(payload.start, payload.end))
      }
      at = payload.end
    }
    rest = bytes.subarray(at)
    if (counted >= wanted) reached()
  })
  return {
    send: (text) => socket.write(toMaskedFrame(Buffer.from(text))),
    count(frames) {
      wanted = frames
      return counted >= wanted ? Promise.resolve() : new Promise((resolve) => (reached = resolve))
    },
    close: () => socket.destroy(),
  }
}

/** The offset of the payload of the frame at this offset; null while the frame is incomplete. */
function payloadAt(bytes: Buffer, at: number): { start: number; end: number } | null {
  if (bytes.length < at + 2) return null
  const short = bytes[at + 1]! & 127
  const start = at + (short < 126 ? 2 : short === 126 ? 4 : 10)
  if (bytes.length < start) return null
  const length =
    short < 126 ? short : short === 126 ? bytes.readUInt16BE(at + 2) : Number(bytes.readBigUInt64BE(at + 2))
  return bytes.length < start + length ? null : { start, end: start + length }
}
