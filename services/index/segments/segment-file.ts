// The file of a segment: immutable, written once. Units as JSON, postings, then tables, then a directory of them all.
//
//   unit JSON … | postings … | tables … | directory (JSON) | length of the directory (4 bytes) | "LSEG"
import { closeSync, fdatasyncSync, fstatSync, openSync, readSync, writeSync } from 'node:fs'

const magic = Buffer.from('LSEG')
const chunkSize = 1 << 20

/** Units of one version of a page that stand together. */
export interface PageRun {
  page: string
  version: number
  /** Place of the first unit, and their number. */
  first: number
  units: number
}

/** Everything about a segment but its units' JSON and its postings. */
export interface SegmentTables {
  units: number
  /** Mean of the length steps of the bodies. */
  averageStep: number
  runs: PageRun[]
  /** Values of the filters; the facet arrays hold places in these lists. */
  facetValues: Record<Facet, (string | null)[]>
  /** Where the JSON of each unit begins in the file, and the end of the last: units + 1. */
  unitOffsets: Float64Array
  ordinals: Uint32Array
  lengthSteps: Uint8Array
  facets: Record<Facet, Uint16Array>
  /** UTF-8 of all terms, in the order of their UTF-16 code units; where each begins, and the end of the last. */
  termBytes: Buffer
  termOffsets: Uint32Array
  /** Index of each term's first posting, and the end of the last. */
  postingStarts: Uint32Array
}

export const facetNames = ['docVersion', 'language', 'sourceType'] as const
export type Facet = (typeof facetNames)[number]

interface Directory extends Pick<SegmentTables, 'units' | 'averageStep' | 'runs' | 'facetValues'> {
  /** Offset and length in bytes. */
  parts: Record<string, [number, number]>
}

/** Appends to a new file; nothing of it counts until a manifest names it. */
export function createSegmentFile(path: string) {
  const file = openSync(path, 'wx')
  const parts: Directory['parts'] = {}
  let waiting: Uint8Array[] = []
  let waitingBytes = 0
  let length = 0

  function flush() {
    if (waitingBytes > 0) {
      const bytes = waiting.length === 1 ? waiting[0]! : Buffer.concat(waiting, waitingBytes)
      for (let done = 0; done < bytes.length; ) done += writeSync(file, bytes, done)
    }
    waiting = []
    waitingBytes = 0
  }

  function append(bytes: Uint8Array) {
    waiting.push(bytes)
    waitingBytes += bytes.length
    length += bytes.length
    if (waitingBytes >= chunkSize) flush()
  }

  function appendPart(name: string, data: ArrayBufferView) {
    parts[name] = [length, data.byteLength]
    append(new Uint8Array(data.buffer, data.byteOffset, data.byteLength))
  }

  return {
    length: () => length,
    append,
    /** Marks where a part begins that is appended piece by piece, until `end`. */
    begin(name: string) {
      const start = length
      return {
        end: () => {
          parts[name] = [start, length - start]
        },
      }
    },
    appendPart,
    /** Writes the tables and the directory; the file is on disk when it returns. */
    finish(tables: SegmentTables) {
      appendPart('unitOffsets', tables.unitOffsets)
      appendPart('ordinals', tables.ordinals)
      appendPart('lengthSteps', tables.lengthSteps)
      for (const facet of facetNames) appendPart(facet, tables.facets[facet])
      appendPart('termBytes', tables.termBytes)
      appendPart('termOffsets', tables.termOffsets)
      appendPart('postingStarts', tables.postingStarts)
      const { units, averageStep, runs, facetValues } = tables
      const directory: Directory = { units, averageStep, runs, facetValues, parts }
      const json = Buffer.from(JSON.stringify(directory))
      const tail = Buffer.alloc(4)
      tail.writeUInt32LE(json.length)
      append(Buffer.concat([json, tail, magic]))
      flush()
      fdatasyncSync(file)
      closeSync(file)
    },
  }
}

export type SegmentFile = ReturnType<typeof createSegmentFile>

export interface SegmentSource extends SegmentTables {
  /** Reads bytes of the file. */
  read(offset: number, length: number): Buffer
  /** Copies postings into an array of their own. */
  postings(from: number, to: number): Uint32Array
  close(): void
}

/** Opens a segment and reads its tables into memory; postings and units stay in the file. */
export function openSegmentFile(path: string): SegmentSource {
  const file = openSync(path, 'r')
  const read = <Into extends Uint8Array>(into: Into, offset: number): Into => {
    for (let done = 0; done < into.length; ) {
      const got = readSync(file, into, done, into.length - done, offset + done)
      if (got === 0) throw new Error('A segment of the index is cut short.')
      done += got
    }
    return into
  }
  const { size } = fstatSync(file)
  const tail = read(Buffer.alloc(8), size - 8)
  if (!tail.subarray(4).equals(magic)) throw new Error('A file of the index is not a segment.')
  const length = tail.readUInt32LE(0)
  const json = read(Buffer.alloc(length), size - 8 - length).toString()
  const { parts, ...directory } = JSON.parse(json) as Directory

  function load<Table extends ArrayBufferView>(name: string, create: (bytes: number) => Table): Table {
    const [offset, bytes] = parts[name]!
    const table = create(bytes)
    read(new Uint8Array(table.buffer, table.byteOffset, bytes), offset)
    return table
  }
  const words = (name: string) => load(name, (bytes) => new Uint32Array(bytes / 4))
  const shorts = (name: string) => load(name, (bytes) => new Uint16Array(bytes / 2))
  const [postingsOffset] = parts.postings!

  return {
    ...directory,
    unitOffsets: load('unitOffsets', (bytes) => new Float64Array(bytes / 8)),
    ordinals: words('ordinals'),
    lengthSteps: load('lengthSteps', (bytes) => new Uint8Array(bytes)),
    facets: {
      docVersion: shorts('docVersion'),
      language: shorts('language'),
      sourceType: shorts('sourceType'),
    },
    termBytes: load('termBytes', (bytes) => Buffer.alloc(bytes)),
    termOffsets: words('termOffsets'),
    postingStarts: words('postingStarts'),
    read: (offset, bytes) => read(Buffer.allocUnsafe(bytes), offset),
    postings(from, to) {
      const found = new Uint32Array(to - from)
      read(new Uint8Array(found.buffer), postingsOffset + from * 4)
      return found
    },
    close: () => closeSync(file),
  }
}
