// An immutable index file with random access. It consists of named parts and a directory of them.
//
//   part … | part … | directory (JSON) | length of the directory (4 bytes) | "LIDX"
import { closeSync, fdatasyncSync, fstatSync, openSync, readSync, writeSync } from 'node:fs'

const magic = 'LIDX'
const chunkSize = 1 << 20

interface Directory<Header> {
  header: Header
  /** Offset and length in bytes, by name. */
  parts: Record<string, [number, number]>
}

type TableConstructor<Table> = (new (length: number) => Table) & { BYTES_PER_ELEMENT: number }

/** Creates the file, which must not exist. Readers see it once a manifest lists it. */
export function createBytesFile(path: string) {
  const file = openSync(path, 'wx')
  const parts: Directory<unknown>['parts'] = {}
  let buffered: Uint8Array[] = []
  let bufferedBytes = 0
  let length = 0

  function flush() {
    const bytes = Buffer.concat(buffered, bufferedBytes)
    for (let done = 0; done < bytes.length; ) done += writeSync(file, bytes, done)
    buffered = []
    bufferedBytes = 0
  }

  function append(data: ArrayBufferView) {
    buffered.push(toBytes(data))
    bufferedBytes += data.byteLength
    length += data.byteLength
    if (bufferedBytes >= chunkSize) flush()
  }

  return {
    /** Bytes written so far. */
    length: () => length,
    append,
    appendPart(name: string, data: ArrayBufferView) {
      parts[name] = [length, data.byteLength]
      append(data)
    },
    /** Writes the directory and syncs the file to disk. */
    finish(header: object) {
      const json = Buffer.from(JSON.stringify({ header, parts } satisfies Directory<object>))
      const tail = Buffer.alloc(4)
      tail.writeUInt32LE(json.length)
      append(Buffer.concat([json, tail, Buffer.from(magic)]))
      flush()
      fdatasyncSync(file)
      closeSync(file)
    },
  }
}

/** Opens the file. It stays readable after it is deleted. */
export function openBytesFile<Header>(path: string) {
  const file = openSync(path, 'r')

  function fill<Into extends ArrayBufferView>(into: Into, offset: number): Into {
    const bytes = toBytes(into)
    for (let done = 0; done < bytes.length; ) {
      const count = readSync(file, bytes, done, bytes.length - done, offset + done)
      if (count === 0) throw new Error(`${path} is truncated.`)
      done += count
    }
    return into
  }

  const { size } = fstatSync(file)
  const tail = fill(Buffer.alloc(8), size - 8)
  if (tail.toString('latin1', 4) !== magic) throw new Error(`${path} is not an index file.`)
  const length = tail.readUInt32LE(0)
  const json = fill(Buffer.alloc(length), size - 8 - length).toString()
  const { header, parts } = JSON.parse(json) as Directory<Header>

  return {
    header,
    /** Reads bytes at an offset in the file. */
    read: (offset: number, bytes: number): Buffer => fill(Buffer.allocUnsafe(bytes), offset),
    /** Reads elements `from` to `to` of a part; all by default. */
    table<Table extends ArrayBufferView>(
      name: string,
      Table: TableConstructor<Table>,
      from = 0,
      to = parts[name]![1] / Table.BYTES_PER_ELEMENT,
    ): Table {
      return fill(new Table(to - from), parts[name]![0] + from * Table.BYTES_PER_ELEMENT)
    },
    /** Fills `into` from the start of a part. */
    fillTable: (name: string, into: ArrayBufferView) => fill(into, parts[name]![0]),
    close: () => closeSync(file),
  }
}

function toBytes({ buffer, byteOffset, byteLength }: ArrayBufferView): Uint8Array {
  return new Uint8Array(buffer, byteOffset, byteLength)
}
