// The vectors of a project's units: immutable files, each of one model. The embed thread writes them; another thread writes
// segments.
import { DomainError } from '../../errors.ts'
import { isInLanguages } from '../../language.ts'
import { toUnitId, type Unembedded, type Unit, type UnitVector, type VectorQuery } from '../search-index.ts'
import { dotProduct, toUnitVector } from '../units.ts'
import { chooseMerge, createFileSet } from './file-set.ts'
import { createTop, type ScoredRow, toPasses } from './find-by-terms.ts'
import { findUnit, type Segment, type UnitRow } from './segment.ts'
import { openVectorFile, type VectorFile, writeVectorFile } from './vector-file.ts'

/** Bounds the memory of a merge. */
const maxRows = 65_536

export function createVectors(folder: string) {
  const set = createFileSet(folder, 'vectors', openVectorFile)

  const filesFor = (model: string): VectorFile[] => set.files().filter((file) => file.model === model)

  /** Replaces files by one with these rows. */
  function replace(old: VectorFile[], model: string, rows: UnitVector[]) {
    set.replace(old, rows.length > 0 ? (path) => writeVectorFile(path, model, rows) : null)
  }

  return {
    filesFor,

    /** Adds vectors of units that exist and have none of the model. */
    set(segments: Segment[], model: string, vectors: UnitVector[]) {
      const existing = filesFor(model)
      const rows = toRows(vectors, segments, existing)
      for (const { vector } of rows) checkDimension(vector, existing[0]?.dimension ?? rows[0]!.vector.length)
      if (rows.length > 0) replace([], model, rows)
      for (;;) {
        const countDeleted = (file: VectorFile) => file.rows - liveRows(file, segments).length
        const merged = chooseMerge(filesFor(model), countDeleted, maxRows, false)
        if (merged === null) return
        const live = merged.flatMap((file) =>
          liveRows(file, segments).map((row) => ({ unit: file.units[row]!, vector: file.vector(row) })),
        )
        replace(merged, model, live)
      }
    },

    keep(model: string) {
      const others = set.files().filter((file) => file.model !== model)
      if (others.length > 0) set.replace(others, null)
    },

    drop: set.drop,
    close: set.close,
  }
}

/** Vectors of units that exist and have none yet, without duplicates. */
function toRows(vectors: UnitVector[], segments: Segment[], existing: VectorFile[]): UnitVector[] {
  const rows = new Map<string, UnitVector>()
  for (const { unit, vector } of vectors) {
    if (findUnit(segments, unit) === null || hasVector(existing, unit)) continue
    rows.set(unit, { unit, vector: toUnitVector([vector]) })
  }
  return [...rows.values()]
}

const hasVector = (files: VectorFile[], unit: string) => files.some((file) => file.row(unit) >= 0)

/** Rows of units that exist. */
function liveRows({ units }: VectorFile, segments: Segment[]): number[] {
  return [...units.keys()].filter((row) => findUnit(segments, units[row]!) !== null)
}

/** See SearchIndex.unembedded. */
export function findUnembedded(
  segments: Segment[],
  files: VectorFile[],
  limit: number,
  languages: string[] | null,
): Unembedded {
  const units: Unit[] = []
  let [all, total, waiting] = [0, 0, 0]
  for (const segment of segments) {
    const isWanted = segment.facets.map(({ language }) => isInLanguages(language, languages))
    for (const { page, version, ordinal, first, length } of segment.liveRuns()) {
      all += length
      for (let at = 0; at < length; at++) {
        if (!isWanted[segment.facetColumn[first + at]!]) continue
        total++
        if (hasVector(files, toUnitId(page, version, ordinal + at))) continue
        waiting++
        if (units.length < limit) units.push(segment.unit(first + at))
      }
    }
  }
  return { all, total, waiting, units }
}

/** Number of candidates to compare as floats: bytes have an error of some thousandths. */
const candidateLimit = (limit: number) => Math.max(100, 4 * limit)

interface Candidate extends ScoredRow {
  file: VectorFile
  vectorRow: number
}

/**
 * Finds units by the cosine of their vectors. Compares all vectors as bytes, then the best candidates as floats. Throws
 * DomainError(invalid) if the query has another dimension.
 *
 *   limit 1 · as bytes a .81, b .80, c .42 · candidates a, b, c · as floats b .804, a .803, c .42 · returns b
 */
export function findByVector(segments: Segment[], files: VectorFile[], query: VectorQuery): ScoredRow[] {
  const wanted = toUnitVector([query.vector])
  for (const { dimension } of files) checkDimension(wanted, dimension)
  const findRow = createRowFinder(segments, query)
  const candidates = query.among
    ? candidatesAmong(files, query.among, findRow)
    : nearest(files, wanted, candidateLimit(query.limit), findRow)
  return candidates
    .map(({ file, vectorRow, ...unit }) => ({ ...unit, score: dotProduct(file.vector(vectorRow), wanted) }))
    .sort((a, b) => b.score - a.score || a.row - b.row)
    .slice(0, query.limit)
}

type RowFinder = (unit: string) => UnitRow | null

/** Finds units that exist and match the filter. */
function createRowFinder(segments: Segment[], { filter }: VectorQuery): RowFinder {
  const passes = new Map(segments.map((segment) => [segment, toPasses(segment, filter)]))
  return (id) => {
    const unit = findUnit(segments, id)
    return unit && passes.get(unit.segment)?.(unit.row) ? unit : null
  }
}

function nearest(files: VectorFile[], wanted: Float32Array, limit: number, findRow: RowFinder): Candidate[] {
  const top = createTop<Candidate>(limit)
  for (const file of files) {
    const product = file.products(wanted)
    for (let vectorRow = 0; vectorRow < file.rows; vectorRow++) {
      // From 0 to 2, since `createTop` ignores negative scores.
      const score = 1 + product(vectorRow)
      if (score <= top.least()) continue
      // Few rows reach this lookup.
      const unit = findRow(file.units[vectorRow]!)
      if (unit) top.add({ ...unit, score, file, vectorRow })
    }
  }
  return top.best()
}

function candidatesAmong(files: VectorFile[], ids: string[], findRow: RowFinder): Candidate[] {
  return [...new Set(ids)].flatMap((id) => {
    const unit = findRow(id)
    if (unit === null) return []
    return files.flatMap((file) => {
      const vectorRow = file.row(id)
      return vectorRow < 0 ? [] : [{ ...unit, score: 0, file, vectorRow }]
    })
  })
}

function checkDimension(vector: Float32Array, dimension: number): void {
  if (vector.length === dimension) return
  const sentence = `The index has vectors of dimension ${dimension}, not ${vector.length}.`
  throw new DomainError('invalid', sentence)
}
