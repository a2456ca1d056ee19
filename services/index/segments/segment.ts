// A segment: an immutable file of units and their inverted index, open for search. Tables are read into memory, units
// and postings when they are asked for.
import { LRUCache } from 'lru-cache'
import type { Unit } from '../search-index.ts'
import { openBytesFile } from './bytes-file.ts'
import { createRunIndex, type Run } from './runs.ts'

/** The header of a segment; build-segment.ts writes it. */
export interface SegmentHeader {
  /** Number of units. */
  rows: number
  /** Mean of the length steps of the bodies. */
  averageStep: number
  runs: Run[]
  /** What filters ask for, every combination once; the column `facets` holds the position of each unit's. */
  facets: Facets[]
}

export type Facets = Pick<Unit, 'docVersion' | 'language' | 'sourceType'>

/** Bytes of posting lists read lately, over all segments. */
const cachedPostings = 128 * 1024 * 1024
const postingCache = new LRUCache<string, Uint32Array>({
  maxSize: cachedPostings,
  sizeCalculation: ({ byteLength }) => 64 + byteLength,
})
/** Units read lately, over all segments: as a reader types, a search meets the same ones again. */
const unitCache = new LRUCache<string, Unit>({ max: 8_000 })
const noPostings = new Uint32Array()

let openedSegments = 0

export function openSegment(path: string) {
  const file = openBytesFile<SegmentHeader>(path)
  const { header } = file
  const unitOffsets = file.table('unitOffsets', Float64Array)
  const termBytes = Buffer.from(file.table('termBytes', Uint8Array).buffer)
  const termOffsets = file.table('termOffsets', Uint32Array)
  const postingStarts = file.table('postingStarts', Uint32Array)
  const { find, row } = createRunIndex(header.runs)
  const term = (at: number) => termBytes.toString('utf8', termOffsets[at]!, termOffsets[at + 1]!)
  const cacheKey = `${openedSegments++} `
  let removed: number[] = []
  let deleted: Uint8Array | null = null

  function findTerm(wanted: string): number {
    let low = 0
    let high = termOffsets.length - 2
    while (low <= high) {
      const middle = (low + high) >> 1
      const found = term(middle)
      if (found === wanted) return middle
      if (found < wanted) low = middle + 1
      else high = middle - 1
    }
    return -1
  }

  function readPostings(wanted: string): Uint32Array {
    const at = findTerm(wanted)
    return at < 0 ? noPostings : file.table('postings', Uint32Array, postingStarts[at], postingStarts[at + 1])
  }

  const bytes = (row: number) => file.read(unitOffsets[row]!, unitOffsets[row + 1]! - unitOffsets[row]!)

  return {
    ...header,
    lengthSteps: file.table('lengthSteps', Uint8Array),
    facetColumn: file.table('facets', Uint16Array),

    /** The units that hold a term: see posting.ts. Shared: not to be changed. */
    postings(wanted: string): Uint32Array {
      const key = cacheKey + wanted
      const known = postingCache.get(key)
      if (known) return known
      const found = readPostings(wanted)
      postingCache.set(key, found)
      return found
    },

    /** All terms, sorted by UTF-16 code units, and their postings, those of each term from its start to the next. */
    allPostings: () => ({
      terms: Array.from({ length: termOffsets.length - 1 }, (_, at) => term(at)),
      postings: file.table('postings', Uint32Array),
      starts: postingStarts,
    }),

    /** Bytes of a unit: see encodeUnit. */
    bytes,

    /** Shared: not to be changed. */
    unit(row: number): Unit {
      const key = cacheKey + row
      const known = unitCache.get(key)
      if (known) return known
      const unit = decodeUnit(bytes(row))
      unitCache.set(key, unit)
      return unit
    },

    /** Deletes the runs of these numbers; those deleted before are among them. */
    setRemoved(numbers: number[]) {
      if (numbers.length === removed.length) return
      removed = numbers
      deleted = new Uint8Array(header.rows)
      for (const number of numbers) {
        const { first, length } = header.runs[number]!
        deleted.fill(1, first, first + length)
      }
    },
    /** 1 for rows of deleted units; null where none is deleted. */
    deleted: () => deleted,
    deletedUnits: () => removed.reduce((sum, number) => sum + header.runs[number]!.length, 0),
    liveRuns: () => header.runs.filter(({ first }) => !deleted?.[first]),
    /** Numbers of the runs of a page version that are not deleted. */
    liveRunsOf: (versionKey: string) =>
      find(versionKey).filter((number) => !deleted?.[header.runs[number]!.first]),
    /** The row of a unit that is not deleted, or -1. */
    row(versionKey: string, ordinal: number): number {
      const found = row(versionKey, ordinal)
      return deleted?.[found] ? -1 : found
    },

    close: file.close,
  }
}

export type Segment = ReturnType<typeof openSegment>

/** A unit in a segment. */
export interface UnitRow {
  segment: Segment
  row: number
}

/** Where a unit is, or null. */
export function findUnit(segments: Segment[], versionKey: string, ordinal: number): UnitRow | null {
  for (const segment of segments) {
    const row = segment.row(versionKey, ordinal)
    if (row >= 0) return { segment, row }
  }
  return null
}

const newline = 10

/** One line of JSON, one of body terms, then the text. */
export function encodeUnit({ text, bodyTerms, ...head }: Unit): Buffer {
  return Buffer.from(`${JSON.stringify(head)}\n${bodyTerms}\n${text}`)
}

/** Body terms and text, which ranking does not read of every candidate, are decoded when they are asked for. */
export function decodeUnit(bytes: Buffer): Unit {
  const headEnd = bytes.indexOf(newline)
  const termsEnd = bytes.indexOf(newline, headEnd + 1)
  return {
    ...(JSON.parse(bytes.toString('utf8', 0, headEnd)) as Omit<Unit, 'text' | 'bodyTerms'>),
    get bodyTerms() {
      return bytes.toString('utf8', headEnd + 1, termsEnd)
    },
    get text() {
      return bytes.toString('utf8', termsEnd + 1)
    },
  }
}
