// A chat client that reads on demand, for slow readers, readers who vanish, and frames that no stock
// client sends.
import { openRawSocket, toMaskedFrame } from './raw-socket.ts'

export interface RawReader {
  /** Sends one text frame. */
  send(text: string): void
  /** Pauses and resumes reading. */
  pause(): void
  resume(): void
  /** Bytes read so far. */
  read(): number
  /** Resolves when the text has arrived. */
  saw(text: string): Promise<void>
  /** Status line of the answer to the upgrade. */
  status: string
  /** Disconnects without a close frame, like a broken network. */
  vanish(): void
  /** Resolves when the connection is closed. */
  gone: Promise<unknown>
}

/** Resolves when the upgrade is answered. */
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
