// A segment open for search: finds terms, reads postings and units.

import type { Unit } from '../search-index.ts'
import { openSegmentFile, type SegmentSource } from './segment-file.ts'
import { decodeUnit } from './stored-unit.ts'

export interface Segment extends SegmentSource {
  /** As `postings`, but not remembered. */
  readPostings: SegmentSource['postings']
  name: string
  /** Places of removed runs, as the manifest has them. */
  removed: number[]
  /** 1 for units of removed runs; null where none is. */
  gone: Uint8Array | null
  /** Place of a term, or -1. */
  termAt(term: string): number
  term(at: number): string
  /** Shared: not to be changed. */
  unit(place: number): Unit
  runPlaces(): Map<string, number[]>
}

/** Postings of lists that were read lately, in bytes, over all segments. */
const cachedPostings = 128 * 1024 * 1024

/** Units of one segment that were read lately: as a reader types, the same ones are met again. */
const cachedUnits = 4_000

export function openSegment(path: string, name: string): Segment {
  const source = openSegmentFile(path)
  const { termBytes, termOffsets, unitOffsets } = source
  const term = (at: number) => termBytes.toString('utf8', termOffsets[at]!, termOffsets[at + 1]!)
  let places: Map<string, number[]> | null = null
  const readUnits = new Map<number, Unit>()

  return {
    ...source,
    name,
    removed: [],
    gone: null,
    term,
    termAt(wanted) {
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
    },
    unit(place) {
      const known = readUnits.get(place)
      if (known) return known
      const start = unitOffsets[place]!
      const unit = decodeUnit(source.read(start, unitOffsets[place + 1]! - start))
      if (readUnits.size >= cachedUnits) readUnits.clear()
      readUnits.set(place, unit)
      return unit
    },
    runPlaces() {
      if (places) return places
      places = new Map()
      for (const [at, { page, version }] of source.runs.entries()) {
        const key = runKey(page, version)
        const known = places.get(key)
        if (known) known.push(at)
        else places.set(key, [at])
      }
      return places
    },
    readPostings: source.postings,
    postings: withCache(source.postings),
  }
}

export const runKey = (page: string, version: number): string => `${page}:${version}`

/** Notes which runs are removed now. */
export function setRemoved(segment: Segment, removed: number[]): void {
  if (removed.length === segment.removed.length) return
  segment.removed = removed
  segment.gone = new Uint8Array(segment.units)
  for (const at of removed) {
    const { first, units } = segment.runs[at]!
    segment.gone.fill(1, first, first + units)
  }
}

/** Lists read lately, by segment; all are let go when together they hold too much. */
let caches: Map<number, Uint32Array>[] = []
let cachedBytes = 0

function withCache(read: SegmentSource['postings']): SegmentSource['postings'] {
  const lists = new Map<number, Uint32Array>()
  return (from, to) => {
    const known = lists.get(from)
    if (known) return known
    const found = read(from, to)
    if (cachedBytes + found.byteLength > cachedPostings) {
      for (const each of caches) each.clear()
      caches = []
      cachedBytes = 0
    }
    if (lists.size === 0) caches.push(lists)
    lists.set(from, found)
    cachedBytes += found.byteLength
    return found
  }
}
