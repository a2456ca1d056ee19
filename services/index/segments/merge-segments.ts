// Makes one segment of several, leaving removed units out: fewer places to look, and the room of what is gone.

import type { Segment } from './segment.ts'
import type { PageRun, SegmentFile } from './segment-file.ts'
import { createSegmentFile, type facetNames } from './segment-file.ts'
import { createFacets, packTerms } from './tables.ts'

const gone = 0xffffffff

/** Writes the living units of `segments` at `path`, in order; answers their number, 0 when it wrote no file. */
export function mergeSegments(path: string, segments: Segment[]): number {
  const renumbered = renumber(segments)
  const { units } = renumbered
  if (units === 0) return 0
  const file = createSegmentFile(path)
  const unitOffsets = copyUnits(file, segments, units)
  const ordinals = new Uint32Array(units)
  const lengthSteps = new Uint8Array(units)
  const facets = createFacets(units)
  const runs: PageRun[] = []
  let steps = 0
  for (const [at, segment] of segments.entries()) {
    const places = renumbered.places[at]!
    for (let old = 0; old < segment.units; old++) {
      const place = places[old]!
      if (place === gone) continue
      ordinals[place] = segment.ordinals[old]!
      lengthSteps[place] = segment.lengthSteps[old]!
      steps += segment.lengthSteps[old]!
      const value = (facet: (typeof facetNames)[number]) =>
        segment.facetValues[facet][segment.facets[facet][old]!] ?? null
      facets.set(place, {
        docVersion: value('docVersion'),
        language: value('language'),
        sourceType: value('sourceType') as 'url',
      })
    }
    for (const run of segment.runs) {
      const first = places[run.first]!
      if (first !== gone) runs.push({ ...run, first })
    }
  }
  const { terms, postingStarts } = mergePostings(file, segments, renumbered.places)
  file.finish({
    units,
    averageStep: steps / units,
    runs,
    facetValues: facets.values,
    unitOffsets,
    ordinals,
    lengthSteps,
    facets: facets.places,
    ...packTerms(terms),
    postingStarts,
  })
  return units
}

/** The new place of every unit of every segment. */
function renumber(segments: Segment[]) {
  let units = 0
  const places = segments.map((segment) => {
    const of = new Uint32Array(segment.units)
    for (let old = 0; old < segment.units; old++) of[old] = segment.gone?.[old] ? gone : units++
    return of
  })
  return { units, places }
}

/** Copies the JSON of living units, neighbours in one piece. */
function copyUnits(file: SegmentFile, segments: Segment[], units: number): Float64Array {
  const offsets = new Float64Array(units + 1)
  let place = 0
  for (const { units: count, unitOffsets, gone: removed, read } of segments) {
    for (let old = 0; old < count; ) {
      if (removed?.[old]) {
        old++
        continue
      }
      const start = unitOffsets[old]!
      const base = file.length() - start
      for (; old < count && !removed?.[old] && unitOffsets[old + 1]! - start < 1 << 20; old++) {
        offsets[++place] = base + unitOffsets[old + 1]!
      }
      if (unitOffsets[old]! === start) offsets[++place] = base + unitOffsets[++old]!
      file.append(read(start, unitOffsets[old]! - start))
    }
  }
  return offsets
}

/** Walks the sorted terms of all segments side by side; the lists of one term follow each other. */
function mergePostings(file: SegmentFile, segments: Segment[], places: Uint32Array[]) {
  const cursors = segments.map((segment) => {
    const terms = segment.termOffsets.length - 1
    return { segment, postings: readAhead(segment), at: 0, terms, term: terms > 0 ? segment.term(0) : null }
  })
  const part = file.begin('postings')
  const terms: string[] = []
  const ends: number[] = []
  let total = 0
  for (;;) {
    let least: string | null = null
    for (const { term } of cursors) if (term !== null && (least === null || term < least)) least = term
    if (least === null) break
    const before = total
    for (const [index, cursor] of cursors.entries()) {
      if (cursor.term !== least) continue
      const { segment } = cursor
      const from = segment.postingStarts[cursor.at]!
      total += append(file, cursor.postings(from, segment.postingStarts[cursor.at + 1]!), places[index]!)
      cursor.at++
      cursor.term = cursor.at < cursor.terms ? segment.term(cursor.at) : null
    }
    if (total === before) continue
    terms.push(least)
    ends.push(total)
  }
  part.end()
  const postingStarts = new Uint32Array(terms.length + 1)
  postingStarts.set(ends, 1)
  return { terms, postingStarts }
}

/** Postings are asked for from first to last: they are read in large pieces. */
function readAhead(segment: Segment) {
  const end = segment.postingStarts.at(-1)!
  let start = 0
  let piece: Uint32Array = new Uint32Array(0)
  return (from: number, to: number): Uint32Array => {
    if (to > start + piece.length) {
      start = from
      piece = segment.readPostings(from, Math.min(end, Math.max(to, from + 65_536)))
    }
    return piece.subarray(from - start, to - start)
  }
}

function append(file: SegmentFile, list: Uint32Array, places: Uint32Array): number {
  const moved = new Uint32Array(list.length)
  let count = 0
  for (const posting of list) {
    const place = places[posting >>> 8]!
    if (place !== gone) moved[count++] = ((place << 8) | (posting & 255)) >>> 0
  }
  file.append(new Uint8Array(moved.buffer, 0, count * 4))
  return count
}
