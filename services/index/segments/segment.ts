// A segment: an immutable file of units and their inverted index. An open segment has its tables in memory, and reads units and
// postings on demand.
import { LRUCache } from 'lru-cache'
import { parseUnitId, toVersionKey, type Unit } from '../search-index.ts'
import { createBytesFile, openBytesFile } from './bytes-file.ts'
import { countBody, countHeading, countTerms, countTitle, lengthStep } from './posting.ts'

/**
 * Consecutive rows with units of one page version and consecutive ordinals.
 *
 *   units p:1:0, p:1:1, p:1:5 → a run of 2 rows at 0 from ordinal 0, one of 1 row at 2 from ordinal 5
 */
interface Run {
  page: string
  version: number
  /** Ordinal of the first unit. */
  ordinal: number
  /** The first row, and the number of rows. */
  first: number
  length: number
}

/** In an open segment's memory. Units and postings stay in the file. */
interface SegmentTables {
  /** Mean of the length steps of the bodies. */
  averageStep: number
  runs: Run[]
  /** Distinct combinations of filterable properties, and the position of each unit's combination among them. */
  facets: Facets[]
  facetColumn: Uint16Array
  /** Length step of each unit. */
  lengthSteps: Uint8Array
  unitOffsets: Float64Array
  /** Terms in the order of UTF-16 code units, joined, with their offsets. */
  termBytes: Uint8Array
  termOffsets: Uint32Array
  /** Offset of the postings in the file, and the index of each term's first one. */
  postingsOffset: number
  postingStarts: Uint32Array
}

type Facets = Pick<Unit, 'docVersion' | 'language' | 'sourceType'>

/** Maximum bytes of cached postings of all segments. */
const cachedPostings = 128 * 1024 * 1024
const postingCache = new LRUCache<string, Uint32Array>({
  maxSize: cachedPostings,
  sizeCalculation: ({ byteLength }) => 64 + byteLength,
})
/** Cached units of all segments: while a reader types, successive searches find the same units. */
const unitCache = new LRUCache<string, Unit>({ max: 8_000 })

let openedSegments = 0

export function openSegment(path: string) {
  const { tables, read, close } = openBytesFile<SegmentTables>(path)
  const { runs, unitOffsets, termOffsets, postingStarts, postingsOffset, lengthSteps } = tables
  const rows = lengthSteps.length
  const termBytes = Buffer.from(tables.termBytes.buffer, tables.termBytes.byteOffset, tables.termBytes.length)
  const term = (at: number) => termBytes.toString('utf8', termOffsets[at]!, termOffsets[at + 1]!)
  const cacheKey = `${openedSegments++} `
  let removed: number[] = []
  let deleted: Uint8Array | null = null
  let runsOfVersion: Map<string, number[]> | null = null

  /** Numbers of a page version's runs. */
  function runsOf(versionKey: string): number[] {
    runsOfVersion ??= Map.groupBy(runs.keys(), (number) => {
      const { page, version } = runs[number]!
      return toVersionKey(page, version)
    })
    return runsOfVersion.get(versionKey) ?? []
  }

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

  function readPostings(from: number, to: number): Uint32Array {
    return read(new Uint32Array(to - from), postingsOffset + from * Uint32Array.BYTES_PER_ELEMENT)
  }

  function bytes(row: number): Buffer {
    const offset = unitOffsets[row]!
    return read(Buffer.allocUnsafe(unitOffsets[row + 1]! - offset), offset)
  }

  return {
    ...tables,
    rows,

    /** Postings of a term: see posting.ts. Shared: do not modify. */
    postings(wanted: string): Uint32Array {
      const key = cacheKey + wanted
      const known = postingCache.get(key)
      if (known) return known
      const at = findTerm(wanted)
      const found = at < 0 ? new Uint32Array() : readPostings(postingStarts[at]!, postingStarts[at + 1]!)
      postingCache.set(key, found)
      return found
    },

    /** `term(n)`: sorted by UTF-16 code units, undefined beyond the last. Its postings are from `starts[n]` to `starts[n + 1]`. */
    allPostings: () => ({
      term: (at: number) => (at < termOffsets.length - 1 ? term(at) : undefined),
      postings: readPostings(0, postingStarts.at(-1)!),
      starts: postingStarts,
    }),

    /** Bytes of a unit: see encodeUnit. */
    bytes,

    /** Shared: do not modify. */
    unit(row: number): Unit {
      const key = cacheKey + row
      const known = unitCache.get(key)
      if (known) return known
      const unit = decodeUnit(bytes(row))
      unitCache.set(key, unit)
      return unit
    },

    /** Deletes the runs with these numbers, which include all runs deleted before. */
    setRemoved(numbers: number[]) {
      if (numbers.length === removed.length) return
      removed = numbers
      deleted = new Uint8Array(rows)
      for (const number of numbers) {
        const { first, length } = runs[number]!
        deleted.fill(1, first, first + length)
      }
    },
    /** 1 for rows of deleted units; null if no unit is deleted. */
    deleted: () => deleted,
    deletedUnits: () => removed.reduce((sum, number) => sum + runs[number]!.length, 0),
    liveRuns: () => runs.filter(({ first }) => !deleted?.[first]),
    /** Numbers of a page version's live runs. */
    liveRunsOf: (versionKey: string) =>
      runsOf(versionKey).filter((number) => !deleted?.[runs[number]!.first]),
    /** The row of a live unit, or -1. */
    row(id: string): number {
      const { versionKey, ordinal } = parseUnitId(id)
      for (const number of runsOf(versionKey)) {
        const { first, length, ordinal: start } = runs[number]!
        const row = first + ordinal - start
        if (row >= first && row < first + length) return deleted?.[row] ? -1 : row
      }
      return -1
    },

    close,
  }
}

export type Segment = ReturnType<typeof openSegment>

export interface UnitRow {
  segment: Segment
  row: number
}

/** Finds a live unit, or returns null. */
export function findUnit(segments: Segment[], id: string): UnitRow | null {
  for (const segment of segments) {
    const row = segment.row(id)
    if (row >= 0) return { segment, row }
  }
  return null
}

const newline = 10

/** A line of JSON, a line of body terms, then the text. */
export function encodeUnit({ text, bodyTerms, ...head }: Unit): Buffer {
  return Buffer.from(`${JSON.stringify(head)}\n${bodyTerms}\n${text}`)
}

/** Decodes body terms and text lazily: ranking does not read those of every candidate. */
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

/** Writes a segment of at least one unit, without duplicate ids. */
export function buildSegment(path: string, units: Unit[]): void {
  const segment = createSegmentFile(path)
  const lists = new Map<string, number[]>()
  for (const [row, unit] of units.entries()) {
    countTerms(lists, row, unit.titleTerms, countTitle)
    countTerms(lists, row, unit.headingTerms, countHeading)
    const step = lengthStep(countTerms(lists, row, unit.bodyTerms, countBody))
    segment.append(unit, unit, step, encodeUnit(unit))
  }
  segment.finish(Array.from([...lists.keys()].sort(), (term) => [term, lists.get(term)!]))
}

/** Writes a segment with the live units of others, at least one, in the same order. */
export function mergeSegments(path: string, segments: Segment[]): void {
  const merged = createSegmentFile(path)
  for (const segment of segments) {
    for (const { page, version, ordinal, first, length } of segment.liveRuns()) {
      for (let row = first; row < first + length; row++) {
        const place = { page, version, ordinal: ordinal + row - first }
        const facets = segment.facets[segment.facetColumn[row]!]!
        merged.append(place, facets, segment.lengthSteps[row]!, segment.bytes(row))
      }
    }
  }
  merged.finish(eachTerm(segments))
}

/** A term and its postings, in the order of rows. */
type TermPostings = [term: string, postings: number[]]

/**
 * The terms of segments with postings of live units, sorted by UTF-16 code units. Numbers the live rows consecutively across
 * segments.
 */
export function* eachTerm(segments: Segment[]): Iterable<TermPostings> {
  let rows = 0
  const sources = segments.map((segment) => {
    const deleted = segment.deleted()
    const newRows = Int32Array.from({ length: segment.rows }, (_, row) => (deleted?.[row] ? -1 : rows++))
    const lists = segment.allPostings()
    return { ...lists, newRows, at: 0, next: lists.term(0) }
  })
  for (;;) {
    let term: string | undefined
    for (const { next } of sources) if (term === undefined || (next ?? term) < term) term = next
    if (term === undefined) return
    const found: number[] = []
    for (const source of sources) {
      const { postings, starts, newRows } = source
      if (source.next !== term) continue
      const end = starts[source.at + 1]!
      for (let at = starts[source.at]!; at < end; at++) {
        const row = newRows[postings[at]! >>> 8]!
        if (row >= 0) found.push(((row << 8) | (postings[at]! & 255)) >>> 0)
      }
      source.next = source.term(++source.at)
    }
    if (found.length > 0) yield [term, found]
  }
}

/** Postings per write: one of each term would take more time and memory. */
const postingChunk = 4_096

function createSegmentFile(path: string) {
  const file = createBytesFile(path)
  const unitOffsets: number[] = []
  const lengthSteps: number[] = []
  const facets = new Map<string, number>()
  const facetColumn: number[] = []
  const runs: Run[] = []

  return {
    append(
      { page, version, ordinal }: Pick<Unit, 'page' | 'version' | 'ordinal'>,
      { docVersion, language, sourceType }: Facets,
      step: number,
      bytes: Buffer,
    ) {
      const last = runs.at(-1)
      const isNext = last?.page === page && last.version === version && last.ordinal + last.length === ordinal
      if (isNext) last.length++
      else runs.push({ page, version, ordinal, first: lengthSteps.length, length: 1 })
      unitOffsets.push(file.append(bytes))
      const combination = JSON.stringify({ docVersion, language, sourceType } satisfies Facets)
      facets.set(combination, facets.get(combination) ?? facets.size)
      facetColumn.push(facets.get(combination)!)
      lengthSteps.push(step)
    },

    /** `sorted`: terms in the order of UTF-16 code units. */
    finish(sorted: Iterable<TermPostings>) {
      const terms: string[] = []
      const termOffsets = [0]
      const starts = [0]
      const postingsOffset = file.append(new Uint8Array())
      let postings: number[] = []
      for (const [term, found] of sorted) {
        for (const posting of found) postings.push(posting)
        terms.push(term)
        termOffsets.push(termOffsets.at(-1)! + Buffer.byteLength(term))
        starts.push(starts.at(-1)! + found.length)
        if (postings.length < postingChunk) continue
        file.append(Uint32Array.from(postings))
        postings = []
      }
      file.append(Uint32Array.from(postings))
      file.finish({
        averageStep: lengthSteps.reduce((sum, step) => sum + step, 0) / lengthSteps.length,
        runs,
        facets: Array.from(facets.keys(), (combination) => JSON.parse(combination) as Facets),
        facetColumn: Uint16Array.from(facetColumn),
        lengthSteps: Uint8Array.from(lengthSteps),
        unitOffsets: Float64Array.from([...unitOffsets, postingsOffset]),
        termBytes: Buffer.from(terms.join('')),
        termOffsets: Uint32Array.from(termOffsets),
        postingsOffset,
        postingStarts: Uint32Array.from(starts),
      } satisfies SegmentTables)
    },
  }
}
