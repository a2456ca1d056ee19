// What of a body does not go into memory: a file without a name, gone with its process. Written at once, for a client on the
// same machine sends without a pause in which anything else could be done. It lies in the data folder: /tmp is memory on many machines.

import { randomUUID } from 'node:crypto'
import { closeSync, mkdirSync, openSync, read, unlinkSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'

const readAt = promisify(read)
/** Bytes. */
const pieceSize = 512 * 1024

export interface Overflow {
  isEmpty(): boolean
  /** Throws where the disk has no room. */
  write(bytes: Uint8Array): void
  /** The next bytes that were written; not while it is empty, and one call at a time. */
  read(): Promise<Uint8Array>
  close(): void
}

/** Throws where no file can be made. */
export function openOverflow(folder: string): Overflow {
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  const path = join(folder, `overflow-${randomUUID()}`)
  const file = openSync(path, 'wx+', 0o600)
  unlinkSync(path)
  let start = 0
  let end = 0
  let isOpen = true
  let reading: Promise<unknown> = Promise.resolve()
  return {
    isEmpty: () => start === end,
    write(bytes) {
      for (let at = 0; at < bytes.length; ) at += writeSync(file, bytes, at, bytes.length - at, end + at)
      end += bytes.length
    },
    async read() {
      const buffer = Buffer.allocUnsafe(Math.min(pieceSize, end - start))
      const work = readAt(file, buffer, 0, buffer.length, start)
      reading = work.catch(() => {})
      const { bytesRead } = await work
      start += bytesRead
      return buffer.subarray(0, bytesRead)
    },
    close() {
      if (!isOpen) return
      isOpen = false
      // A read that is under way has its file to its end.
      reading.then(() => closeSync(file))
    },
  }
}
