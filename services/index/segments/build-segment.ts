// Writes a segment: copies the units, and inverts their terms in memory.
import type { Unit } from '../search-index.ts'
import { createBytesFile } from './bytes-file.ts'
import { countBody, countHeading, countTitle, lengthStep } from './posting.ts'
import { appendToRuns, type Run } from './runs.ts'
import type { Facets, SegmentHeader } from './segment.ts'

export interface EncodedUnit {
  unit: Unit
  /** See encodeUnit. */
  bytes: Buffer
}

/** Writes units (at least one, every id once, those of one page version side by side) at `path`. */
export function buildSegment(path: string, units: Iterable<EncodedUnit>): void {
  const file = createBytesFile(path)
  const unitOffsets = [0]
  const lengthSteps: number[] = []
  const facets = new Map<string, number>()
  const facetColumn: number[] = []
  const inverted = createInverted()
  const runs: Run[] = []

  for (const { unit, bytes } of units) {
    const row = lengthSteps.length
    file.append(bytes)
    unitOffsets.push(file.length())
    const { docVersion, language, sourceType } = unit
    const combination = JSON.stringify({ docVersion, language, sourceType } satisfies Facets)
    facets.set(combination, facets.get(combination) ?? facets.size)
    facetColumn.push(facets.get(combination)!)
    appendToRuns(runs, unit, row)
    inverted.count(row, unit.titleTerms, countTitle)
    inverted.count(row, unit.headingTerms, countHeading)
    lengthSteps.push(lengthStep(inverted.count(row, unit.bodyTerms, countBody)))
  }

  const { terms, postings, starts } = inverted.finish()
  file.appendPart('postings', postings)
  file.appendPart('postingStarts', starts)
  file.appendPart('termBytes', Buffer.from(terms.join('')))
  file.appendPart('termOffsets', toOffsets(terms))
  file.appendPart('unitOffsets', Float64Array.from(unitOffsets))
  file.appendPart('lengthSteps', Uint8Array.from(lengthSteps))
  file.appendPart('facets', Uint16Array.from(facetColumn))
  file.finish({
    rows: lengthSteps.length,
    averageStep: lengthSteps.reduce((sum, step) => sum + step, 0) / lengthSteps.length,
    runs,
    facets: Array.from(facets.keys(), (combination) => JSON.parse(combination) as Facets),
  } satisfies SegmentHeader)
}

/** Where each term begins in UTF-8, and the end of the last. */
function toOffsets(terms: string[]): Uint32Array {
  const offsets = new Uint32Array(terms.length + 1)
  for (const [at, term] of terms.entries()) offsets[at + 1] = offsets[at]! + Buffer.byteLength(term)
  return offsets
}

/**
 * `count` notes each term of a field at a row and answers how many there are; rows come in order.
 *
 *   row 0 "a b a", row 1 "b" → a: 0 twice; b: 0, 1 · terms a, b · postings 0 (×2) | 0, 1 · starts 0, 1, 3
 */
function createInverted() {
  const lists = new Map<string, number[]>()
  let total = 0

  return {
    count(row: number, field: string, add: (counts: number) => number): number {
      if (field === '') return 0
      const terms = field.split(' ')
      const posting = row << 8
      for (const term of terms) {
        const list = lists.get(term)
        if (list === undefined) {
          lists.set(term, [posting | add(0)])
          total++
          continue
        }
        const last = list[list.length - 1]!
        if (last >= posting) list[list.length - 1] = posting | add(last & 255)
        else {
          list.push(posting | add(0))
          total++
        }
      }
      return terms.length
    },

    /** Terms sorted by UTF-16 code units, their postings by row. */
    finish() {
      const terms = [...lists.keys()].sort()
      const starts = new Uint32Array(terms.length + 1)
      const postings = new Uint32Array(total)
      for (const [at, term] of terms.entries()) {
        const list = lists.get(term)!
        postings.set(list, starts[at]!)
        starts[at + 1] = starts[at]! + list.length
      }
      return { terms, postings, starts }
    },
  }
}
