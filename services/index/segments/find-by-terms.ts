// Finds units by terms: BM25F over postings, term at a time (Zobel and Moffat, "Inverted files for text search
// engines", 2006, section 4). Each term's list adds to the scores of its units; the best are picked at the end.
//
//   terms "copy", "table" · lists copy → 3, 7  table → 7, 9 · scores 3: 1.9, 7: 1.9 + 0.6, 9: 0.6 · best: 7, 3, 9
import type { TermQuery, UnitFilter } from '../search-index.ts'
import { idf, worthTable } from './posting.ts'
import type { Segment } from './segment.ts'
import { type Facet, facetNames } from './segment-file.ts'
import { createTop, type Place } from './top.ts'

let scores = new Float32Array(0)

export function findByTerms(segments: Segment[], query: TermQuery): Place[] {
  const units = segments.reduce((sum, segment) => sum + segment.units, 0)
  const averageStep = segments.reduce((sum, { averageStep: step, units: of }) => sum + (step * of) / units, 0)
  const worth = worthTable(query.weights, averageStep)
  const found = [...new Set(query.terms)].map((term) => findTerm(segments, term))
  const top = createTop(query.limit)

  for (const [index, segment] of segments.entries()) {
    const lists = found.flatMap((term) => {
      const at = term.places[index]!
      return at < 0 ? [] : [{ at, weight: idf(units, term.units) }]
    })
    const passes = toPasses(segment, query.filter)
    if (lists.length === 0 || passes === null) continue
    if (scores.length < segment.units) scores = new Float32Array(segment.units)
    for (const { at, weight } of lists) {
      const { postingStarts, lengthSteps } = segment
      addUp(segment.postings(postingStarts[at]!, postingStarts[at + 1]!), lengthSteps, worth, weight)
    }
    let least = top.least()
    for (let place = 0; place < segment.units; place++) {
      const score = scores[place]!
      if (score <= least || segment.gone?.[place] || !passes(place)) continue
      top.add({ segment, place, score })
      least = top.least()
    }
    scores.fill(0, 0, segment.units)
  }
  return top.best()
}

function addUp(postings: Uint32Array, steps: Uint8Array, worth: Float32Array, weight: number) {
  for (let at = 0; at < postings.length; at++) {
    const posting = postings[at]!
    const place = posting >>> 8
    scores[place]! += weight * worth[(steps[place]! << 8) | (posting & 255)]!
  }
}

function findTerm(segments: Segment[], term: string) {
  let units = 0
  const places = segments.map((segment) => {
    const at = segment.termAt(term)
    if (at >= 0) units += segment.postingStarts[at + 1]! - segment.postingStarts[at]!
    return at
  })
  return { places, units }
}

/** Whether a unit of the segment has the values that the filter asks for; null when none can. */
export function toPasses(segment: Segment, filter: UnitFilter = {}): ((place: number) => boolean) | null {
  const wanted: Record<Facet, readonly string[] | undefined> = {
    docVersion: filter.docVersion === undefined ? undefined : [filter.docVersion],
    language: filter.language === undefined ? undefined : [filter.language],
    sourceType: filter.sourceTypes,
  }
  const checks: { column: Uint16Array; allowed: boolean[] }[] = []
  for (const facet of facetNames) {
    const values = wanted[facet]
    if (values === undefined) continue
    const allowed = segment.facetValues[facet].map((value) => value !== null && values.includes(value))
    if (!allowed.includes(true)) return null
    if (allowed.includes(false)) checks.push({ column: segment.facets[facet], allowed })
  }
  return (place) => checks.every(({ column, allowed }) => allowed[column[place]!])
}
