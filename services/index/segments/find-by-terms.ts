// Finds units by terms: BM25F over postings, term at a time (Zobel and Moffat, "Inverted files for text search
// engines", 2006, section 4). Each word's lists add to the scores of their units; the best are picked at the end.
//
//   terms "copy", "table" · lists copy → 3, 7  table → 7, 9 · scores 3: 1.9, 7: 1.9 + 0.6, 9: 0.6 · best: 7, 3, 9
import type { TermQuery, UnitFilter } from '../search-index.ts'
import { worthTable } from './posting.ts'
import type { Segment } from './segment.ts'
import { type Facet, facetNames } from './segment-file.ts'
import { createTop, type Place } from './top.ts'

let scores = new Float32Array(0)
/** Of one word, in the units that hold it; 0 between words. */
let best = new Float32Array(0)

export function findByTerms(segments: Segment[], query: TermQuery): Place[] {
  const units = segments.reduce((sum, segment) => sum + segment.units, 0)
  const averageStep = segments.reduce((sum, { averageStep: step, units: of }) => sum + (step * of) / units, 0)
  const worth = worthTable(averageStep)
  const words = findWords(segments, query)
  const top = createTop(query.limit)

  for (const [index, segment] of segments.entries()) {
    const lists = words.map((word) => word.filter(({ places }) => places[index]! >= 0)).filter(isFound)
    const passes = toPasses(segment, query.filter)
    if (lists.length === 0 || passes === null) continue
    if (scores.length < segment.units) {
      scores = new Float32Array(segment.units)
      best = new Float32Array(segment.units)
    }
    const { postingStarts, lengthSteps } = segment
    for (const list of lists) {
      const alternatives = list.map(({ places, weight }) => {
        const at = places[index]!
        return { postings: segment.postings(postingStarts[at]!, postingStarts[at + 1]!), weight }
      })
      if (alternatives.length === 1) addUp(alternatives[0]!, lengthSteps, worth)
      else addBest(alternatives, lengthSteps, worth)
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

interface List {
  postings: Uint32Array
  weight: number
}

function addUp({ postings, weight }: List, steps: Uint8Array, worth: Float32Array) {
  for (let at = 0; at < postings.length; at++) {
    const posting = postings[at]!
    const place = posting >>> 8
    scores[place]! += weight * worth[(steps[place]! << 8) | (posting & 255)]!
  }
}

/** Of each unit the best of the lists. */
function addBest(lists: List[], steps: Uint8Array, worth: Float32Array) {
  for (const { postings, weight } of lists) {
    for (let at = 0; at < postings.length; at++) {
      const posting = postings[at]!
      const place = posting >>> 8
      const score = weight * worth[(steps[place]! << 8) | (posting & 255)]!
      const more = score - best[place]!
      if (more <= 0) continue
      scores[place]! += more
      best[place] = score
    }
  }
  for (const { postings } of lists) for (let at = 0; at < postings.length; at++) best[postings[at]! >>> 8] = 0
}

const isFound = (list: unknown[]) => list.length > 0

/** Of each word its terms: where each segment has them, and what they are worth. */
function findWords(segments: Segment[], { terms, words }: TermQuery) {
  const asked = new Set(terms)
  return words.map(({ weight, alternatives }) =>
    [...alternatives]
      .filter(([term]) => asked.has(term))
      .map(([term, share]) => ({
        places: segments.map((segment) => segment.termAt(term)),
        weight: weight * share,
      })),
  )
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
