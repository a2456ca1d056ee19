// Makes a segment of new units: inverts their terms in memory and writes the file.
import type { Unit } from '../search-index.ts'
import { createInverted } from './inverted.ts'
import { countBody, countHeading, countTitle, lengthStep } from './posting.ts'
import { createSegmentFile, type PageRun } from './segment-file.ts'
import { encodeUnit } from './stored-unit.ts'
import { createFacets } from './tables.ts'

/** Writes `units` (at least one, every id once) as a segment at `path`. */
export function buildSegment(path: string, units: Unit[]): void {
  const file = createSegmentFile(path)
  const unitOffsets = new Float64Array(units.length + 1)
  const ordinals = new Uint32Array(units.length)
  const steps = new Uint8Array(units.length)
  const facets = createFacets(units.length)
  const inverted = createInverted()
  const runs: PageRun[] = []

  for (const [place, unit] of units.entries()) {
    file.append(encodeUnit(unit))
    unitOffsets[place + 1] = file.length()
    ordinals[place] = unit.ordinal
    facets.set(place, unit)
    addToRuns(runs, unit, place)
    inverted.count(place, unit.titleTerms, countTitle)
    inverted.count(place, unit.headingTerms, countHeading)
    steps[place] = lengthStep(inverted.count(place, unit.bodyTerms, countBody))
  }

  const { postings, ...terms } = inverted.finish()
  file.appendPart('postings', postings)

  file.finish({
    units: units.length,
    averageStep: steps.reduce((sum, step) => sum + step, 0) / units.length,
    runs,
    facetValues: facets.values,
    unitOffsets,
    ordinals,
    lengthSteps: steps,
    facets: facets.places,
    ...terms,
  })
}

function addToRuns(runs: PageRun[], { page, version }: Unit, place: number) {
  const last = runs.at(-1)
  if (last?.page === page && last.version === version) last.units++
  else runs.push({ page, version, first: place, units: 1 })
}
