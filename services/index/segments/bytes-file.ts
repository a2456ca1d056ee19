// An immutable index file: bytes that are read on demand, and tables that an open file has in memory.
//
//   bytes … | tables (V8's structured clone) | length of the tables (4 bytes)
import { closeSync, fdatasyncSync, fstatSync, openSync, readSync, writeSync } from 'node:fs'
import { deserialize, serialize } from 'node:v8'

const chunkSize = 1 << 20

/** Creates the file, which must not exist. Readers see it once a manifest lists it. */
export function createBytesFile(path: string) {
  const file = openSync(path, 'wx')
  let buffered: Uint8Array[] = []
  let bufferedBytes = 0
  let length = 0

  function flush() {
    const bytes = Buffer.concat(buffered, bufferedBytes)
    for (let done = 0; done < bytes.length; ) done += writeSync(file, bytes, done)
    buffered = []
    bufferedBytes = 0
  }

  /** Returns the offset of the data. */
  function append(data: ArrayBufferView): number {
    const offset = length
    buffered.push(toBytes(data))
    bufferedBytes += data.byteLength
    length += data.byteLength
    if (bufferedBytes >= chunkSize) flush()
    return offset
  }

  return {
    append,
    /** Writes the tables and syncs the file to disk. */
    finish(tables: object) {
      const bytes = serialize(tables)
      append(bytes)
      append(Uint32Array.of(bytes.length))
      flush()
      fdatasyncSync(file)
      closeSync(file)
    },
  }
}

/** Opens the file. It stays readable after it is deleted. */
export function openBytesFile<Tables>(path: string) {
  const file = openSync(path, 'r')

  /** Fills `into` from an offset of the file. */
  function read<Into extends ArrayBufferView>(into: Into, offset: number): Into {
    const bytes = toBytes(into)
    for (let done = 0; done < bytes.length; ) {
      const count = readSync(file, bytes, done, bytes.length - done, offset + done)
      if (count === 0) throw new Error(`${path} is truncated.`)
      done += count
    }
    return into
  }

  const tablesEnd = fstatSync(file).size - 4
  const [length] = read(new Uint32Array(1), tablesEnd) as unknown as [number]
  const tables = deserialize(read(Buffer.alloc(length), tablesEnd - length)) as Tables
  return { tables, read, close: () => closeSync(file) }
}

function toBytes({ buffer, byteOffset, byteLength }: ArrayBufferView): Uint8Array {
  return new Uint8Array(buffer, byteOffset, byteLength)
}
