// A file of the index: immutable, written once, read at any place.
//
//   what it holds … | directory (JSON) | length of the directory (4 bytes) | four letters that say what file it is
import { closeSync, fdatasyncSync, fstatSync, openSync, readSync, writeSync } from 'node:fs'

const chunkSize = 1 << 20

interface BytesWriter {
  /** Bytes so far. */
  length(): number
  append(data: ArrayBufferView): void
  /** Writes the directory; the file is on disk when it returns. */
  finish(directory: object): void
}

interface BytesFile<Directory> {
  directory: Directory
  /** Fills `into` from this place on, and answers it. Throws where the file is cut short. */
  read<Into extends ArrayBufferView>(into: Into, offset: number): Into
  close(): void
}

/** Makes a file that must not be there; nothing of it counts until a manifest names it. */
export function createBytesFile(path: string, letters: string): BytesWriter {
  const file = openSync(path, 'wx')
  let waiting: Uint8Array[] = []
  let waitingBytes = 0
  let length = 0

  function flush() {
    const bytes = waiting.length === 1 ? waiting[0]! : Buffer.concat(waiting, waitingBytes)
    for (let done = 0; done < bytes.length; ) done += writeSync(file, bytes, done)
    waiting = []
    waitingBytes = 0
  }

  function append(data: ArrayBufferView) {
    waiting.push(toBytes(data))
    waitingBytes += data.byteLength
    length += data.byteLength
    if (waitingBytes >= chunkSize) flush()
  }

  return {
    length: () => length,
    append,
    finish(directory) {
      const json = Buffer.from(JSON.stringify(directory))
      const tail = Buffer.alloc(4)
      tail.writeUInt32LE(json.length)
      append(Buffer.concat([json, tail, Buffer.from(letters)]))
      flush()
      fdatasyncSync(file)
      closeSync(file)
    },
  }
}

/** Opens a file; what it holds stays readable when it is deleted meanwhile. Throws where its letters are others. */
export function openBytesFile<Directory>(path: string, letters: string): BytesFile<Directory> {
  const file = openSync(path, 'r')

  function read<Into extends ArrayBufferView>(into: Into, offset: number): Into {
    const bytes = toBytes(into)
    for (let done = 0; done < bytes.length; ) {
      const got = readSync(file, bytes, done, bytes.length - done, offset + done)
      if (got === 0) throw new Error('A file of the index is cut short.')
      done += got
    }
    return into
  }

  const { size } = fstatSync(file)
  const tail = read(Buffer.alloc(8), size - 8)
  if (tail.toString('latin1', 4) !== letters) throw new Error(`A file of the index is no ${letters}.`)
  const length = tail.readUInt32LE(0)
  const json = read(Buffer.alloc(length), size - 8 - length).toString()
  return { directory: JSON.parse(json) as Directory, read, close: () => closeSync(file) }
}

function toBytes({ buffer, byteOffset, byteLength }: ArrayBufferView): Uint8Array {
  return new Uint8Array(buffer, byteOffset, byteLength)
}
