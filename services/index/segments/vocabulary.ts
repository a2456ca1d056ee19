// The terms of a project's segments with their counts: each segment's own are counted once, then merged.
import type { Vocabulary } from '../search-index.ts'
import { isInHeading } from './posting.ts'
import type { Segment } from './segment.ts'

interface Counts {
  gone: Uint8Array | null
  /** By place of the term: units that hold it anywhere, and in headings. */
  units: Uint32Array
  inHeadings: Uint32Array
}

const known = new WeakMap<Segment, Counts>()

export function readVocabulary(segments: Segment[]): Vocabulary {
  const merged = new Map<string, [number, number]>()
  let units = 0
  for (const segment of segments) {
    units += segment.units - (segment.gone?.reduce((sum, isGone) => sum + isGone, 0) ?? 0)
    const counts = countsOf(segment)
    for (let at = 0; at < counts.units.length; at++) {
      if (counts.units[at] === 0) continue
      const term = segment.term(at)
      const sums = merged.get(term)
      if (sums === undefined) merged.set(term, [counts.units[at]!, counts.inHeadings[at]!])
      else {
        sums[0] += counts.units[at]!
        sums[1] += counts.inHeadings[at]!
      }
    }
  }
  const terms = [...merged.keys()].sort()
  return {
    units,
    terms,
    counts: Uint32Array.from(terms, (term) => merged.get(term)![0]),
    inHeadings: Uint32Array.from(terms, (term) => merged.get(term)![1]),
  }
}

function countsOf(segment: Segment): Counts {
  const before = known.get(segment)
  if (before?.gone === segment.gone && before !== undefined) return before
  const { gone, postingStarts } = segment
  const terms = postingStarts.length - 1
  const counts = { gone, units: new Uint32Array(terms), inHeadings: new Uint32Array(terms) }
  for (let first = 0; first < terms; ) {
    const start = postingStarts[first]!
    const last = endOfPiece(postingStarts, first)
    const piece = segment.readPostings(start, postingStarts[last]!)
    for (; first < last; first++) {
      const end = postingStarts[first + 1]! - start
      for (let at = postingStarts[first]! - start; at < end; at++) {
        const posting = piece[at]!
        if (gone?.[posting >>> 8]) continue
        counts.units[first]!++
        if (isInHeading(posting)) counts.inHeadings[first]!++
      }
    }
  }
  known.set(segment, counts)
  return counts
}

/** Postings are read in pieces of about this many. */
const pieceSize = 1 << 18

/** The first term after `first` that is not read with it; at least the next. */
function endOfPiece(postingStarts: Uint32Array, first: number): number {
  let end = first + 1
  while (end < postingStarts.length - 1 && postingStarts[end + 1]! - postingStarts[first]! <= pieceSize) end++
  return end
}
