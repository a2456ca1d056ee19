// The vectors of a project's units: immutable files of one model. The embed thread writes them; another thread writes
// segments.
import { DomainError } from '../../errors.ts'
import { isInLanguages } from '../../language.ts'
import {
  parseUnitId,
  parseVersionKey,
  toVersionKey,
  type Unembedded,
  type Unit,
  type UnitVector,
  type VectorQuery,
} from '../search-index.ts'
import { dotProduct, toUnitVector } from '../units.ts'
import { chooseMerge, createFileSet } from './file-set.ts'
import { createTop, type ScoredRow, toPasses } from './find-by-terms.ts'
import { findUnit, type Segment, type UnitRow } from './segment.ts'
import { openVectorFile, type VectorFile, type VectorRow, writeVectorFile } from './vector-file.ts'

/** Bounds the memory of a merge. */
const maxRows = 65_536

export function createVectors(folder: string) {
  const set = createFileSet(folder, 'vectors', openVectorFile)

  /** Files with vectors of the model. All files have the same model. */
  function filesFor(model: string): VectorFile[] {
    const files = set.files()
    return files[0]?.model === model ? files : []
  }

  /** Replaces files by one with these rows. */
  function replace(old: VectorFile[], model: string, rows: VectorRow[]) {
    set.replace(old, rows.length > 0 ? (path) => writeVectorFile(path, model, rows.sort(byUnit)) : null)
  }

  return {
    filesFor,

    /** Adds vectors of units that exist and have none of the model. Deletes those of another model. */
    set(segments: Segment[], model: string, vectors: UnitVector[]) {
      const existing = filesFor(model)
      const rows = toRows(vectors, segments, existing)
      for (const { vector } of rows) checkDimension(vector, existing[0]?.dimension ?? rows[0]!.vector.length)
      const others = existing.length === 0 ? set.files() : []
      if (rows.length > 0 || others.length > 0) replace(others, model, rows)
      for (;;) {
        const merged = chooseMerge(filesFor(model), (file) => countDeleted(file, segments), maxRows, false)
        if (merged === null) return
        const live = merged.flatMap((file) => liveRows(file, segments))
        replace(merged, model, live)
      }
    },

    drop: set.drop,
    close: set.close,
  }
}

/** Vectors of units that exist and have none yet, without duplicates. */
function toRows(vectors: UnitVector[], segments: Segment[], existing: VectorFile[]): VectorRow[] {
  const rows = new Map<string, VectorRow>()
  for (const { unit, vector } of vectors) {
    const { versionKey, ordinal } = parseUnitId(unit)
    if (findUnit(segments, versionKey, ordinal) === null || hasVector(existing, versionKey, ordinal)) continue
    const { page, version } = parseVersionKey(versionKey)
    rows.set(unit, { page, version, ordinal, vector: toUnitVector([vector]) })
  }
  return [...rows.values()]
}

const hasVector = (files: VectorFile[], version: string, ordinal: number) =>
  files.some((file) => file.row(version, ordinal) >= 0)

function byUnit(a: VectorRow, b: VectorRow): number {
  if (a.page !== b.page) return a.page < b.page ? -1 : 1
  return a.version - b.version || a.ordinal - b.ordinal
}

function countDeleted(file: VectorFile, segments: Segment[]): number {
  return file.rows - liveRuns(file, segments).reduce((sum, { length }) => sum + length, 0)
}

/** Runs of page versions that exist in the index. */
function liveRuns({ runs }: VectorFile, segments: Segment[]) {
  return runs.filter(({ page, version }) => {
    const key = toVersionKey(page, version)
    return segments.some((segment) => segment.liveRunsOf(key).length > 0)
  })
}

function liveRows(file: VectorFile, segments: Segment[]): VectorRow[] {
  return liveRuns(file, segments).flatMap(({ page, version, ordinal, first, length }) =>
    Array.from({ length }, (_, at) => ({
      page,
      version,
      ordinal: ordinal + at,
      vector: file.vector(first + at),
    })),
  )
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
      const key = toVersionKey(page, version)
      const existing = files.filter((file) => file.hasVersion(key))
      all += length
      for (let at = 0; at < length; at++) {
        if (!isWanted[segment.facetColumn[first + at]!]) continue
        total++
        if (hasVector(existing, key, ordinal + at)) continue
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

type RowFinder = (version: string, ordinal: number) => UnitRow | null

/** Finds units that exist and match the filter. */
function createRowFinder(segments: Segment[], { filter }: VectorQuery): RowFinder {
  const passes = new Map(segments.map((segment) => [segment, toPasses(segment, filter)]))
  return (version, ordinal) => {
    const unit = findUnit(segments, version, ordinal)
    return unit && passes.get(unit.segment)?.(unit.row) ? unit : null
  }
}

function nearest(files: VectorFile[], wanted: Float32Array, limit: number, findRow: RowFinder): Candidate[] {
  const top = createTop<Candidate>(limit)
  for (const file of files) {
    const product = file.products(wanted)
    for (const { page, version, ordinal, first, length } of file.runs) {
      for (let at = 0; at < length; at++) {
        // From 0 to 2, since `createTop` ignores negative scores.
        const score = 1 + product(first + at)
        if (score <= top.least()) continue
        // Few rows reach this lookup.
        const unit = findRow(toVersionKey(page, version), ordinal + at)
        if (unit) top.add({ ...unit, score, file, vectorRow: first + at })
      }
    }
  }
  return top.best()
}

function candidatesAmong(files: VectorFile[], ids: string[], findRow: RowFinder): Candidate[] {
  return [...new Set(ids)].flatMap((id) => {
    const { versionKey, ordinal } = parseUnitId(id)
    const unit = findRow(versionKey, ordinal)
    if (unit === null) return []
    return files.flatMap((file) => {
      const vectorRow = file.row(versionKey, ordinal)
      return vectorRow < 0 ? [] : [{ ...unit, score: 0, file, vectorRow }]
    })
  })
}

function checkDimension(vector: Float32Array, dimension: number): void {
  if (vector.length === dimension) return
  const sentence = `The index has vectors of dimension ${dimension}, not ${vector.length}.`
  throw new DomainError('invalid', sentence)
}
