// Makes a segment of new units: inverts their terms in memory and writes the file.
import type { Unit } from '../search-index.ts'
import { countBody, countHeading, countTitle, lengthStep } from './posting.ts'
import { createSegmentFile, type PageRun } from './segment-file.ts'
import { createFacets, packTerms } from './tables.ts'

/** `postings` grows in the order of the units; the last one is of the unit at hand while that is being read. */
type Inverted = Map<string, number[]>

/** Writes `units` (at least one, every id once) as a segment at `path`. */
export function buildSegment(path: string, units: Unit[]): void {
  const file = createSegmentFile(path)
  const unitOffsets = new Float64Array(units.length + 1)
  const ordinals = new Uint32Array(units.length)
  const steps = new Uint8Array(units.length)
  const facets = createFacets(units.length)
  const inverted: Inverted = new Map()
  const runs: PageRun[] = []
  const withVector: number[] = []

  for (const [place, unit] of units.entries()) {
    const { vector, ...stored } = unit
    file.append(Buffer.from(JSON.stringify(stored)))
    unitOffsets[place + 1] = file.length()
    ordinals[place] = unit.ordinal
    facets.set(place, unit)
    addToRuns(runs, unit, place)
    count(inverted, place, unit.titleTerms, countTitle)
    count(inverted, place, unit.headingTerms, countHeading)
    steps[place] = lengthStep(count(inverted, place, unit.bodyTerms, countBody))
    if (vector) withVector.push(place)
  }

  const terms = [...inverted.keys()].sort()
  const postingStarts = new Uint32Array(terms.length + 1)
  for (const [at, term] of terms.entries()) {
    postingStarts[at + 1] = postingStarts[at]! + inverted.get(term)!.length
  }
  const postings = new Uint32Array(postingStarts[terms.length]!)
  for (const [at, term] of terms.entries()) postings.set(inverted.get(term)!, postingStarts[at]!)
  file.appendPart('postings', postings)
  const dimension = withVector.length > 0 ? units[withVector[0]!]!.vector!.length : 0
  const vectors = new Float32Array(withVector.length * dimension)
  for (const [at, place] of withVector.entries())
    vectors.set(toUnitLength(units[place]!.vector!), at * dimension)
  file.appendPart('vectors', vectors)

  file.finish({
    units: units.length,
    averageStep: steps.reduce((sum, step) => sum + step, 0) / units.length,
    runs,
    facetValues: facets.values,
    dimension,
    unitOffsets,
    ordinals,
    lengthSteps: steps,
    facets: facets.places,
    ...packTerms(terms),
    postingStarts,
    vectorUnits: Uint32Array.from(withVector),
  })
}

/** Counts each term of a field at the unit; answers how many there are, repeated ones too. */
function count(inverted: Inverted, place: number, field: string, add: (counts: number) => number): number {
  if (field === '') return 0
  let terms = 0
  for (let start = 0; start <= field.length; terms++) {
    let end = field.indexOf(' ', start)
    if (end < 0) end = field.length
    const term = field.slice(start, end)
    start = end + 1
    const postings = inverted.get(term)
    if (postings === undefined) {
      inverted.set(term, [place * 256 + add(0)])
      continue
    }
    const last = postings.length - 1
    const posting = postings[last]!
    if (Math.floor(posting / 256) === place) postings[last] = place * 256 + add(posting & 255)
    else postings.push(place * 256 + add(0))
  }
  return terms
}

function addToRuns(runs: PageRun[], { page, version }: Unit, place: number) {
  const last = runs.at(-1)
  if (last?.page === page && last.version === version) last.units++
  else runs.push({ page, version, first: place, units: 1 })
}

function toUnitLength(vector: Float32Array): Float32Array {
  const length = Math.hypot(...vector)
  return length === 0 ? vector : vector.map((value) => value / length)
}
