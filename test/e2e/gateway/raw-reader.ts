// A client of the chat that reads when it is told to. For readers who are slow, who vanish, and who send what no stock
// client would.
import { openRawSocket, toMaskedFrame } from './raw-socket.ts'

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
  const { socket, answer } = await openRawSocket(port, path, headers)
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
    status: answer.split('\r\n')[0]!,
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
