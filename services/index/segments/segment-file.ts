// The file of a segment: immutable, written once. Units as JSON, postings, then tables, then a directory of them all.
//
//   unit JSON … | postings … | tables … | directory (JSON) | length of the directory (4 bytes) | "LSEG"
import { createBytesFile, openBytesFile } from './bytes-file.ts'

const letters = 'LSEG'

/** Units of one version of a page that stand together. */
export interface PageRun {
  page: string
  version: number
  /** Place of the first unit, and their number. */
  first: number
  units: number
}

/** Everything about a segment but its units' JSON and its postings. */
interface SegmentTables {
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
  const file = createBytesFile(path, letters)
  const parts: Directory['parts'] = {}

  function appendPart(name: string, data: ArrayBufferView) {
    parts[name] = [file.length(), data.byteLength]
    file.append(data)
  }

  return {
    length: file.length,
    append: file.append,
    /** Marks where a part begins that is appended piece by piece, until `end`. */
    begin(name: string) {
      const start = file.length()
      return {
        end: () => {
          parts[name] = [start, file.length() - start]
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
      file.finish({ units, averageStep, runs, facetValues, parts } satisfies Directory)
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
  const { directory: all, read, close } = openBytesFile<Directory>(path, letters)
  const { parts, ...directory } = all

  function load<Table extends ArrayBufferView>(name: string, create: (bytes: number) => Table): Table {
    const [offset, bytes] = parts[name]!
    return read(create(bytes), offset)
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
    postings: (from, to) => read(new Uint32Array(to - from), postingsOffset + from * 4),
    close,
  }
}
