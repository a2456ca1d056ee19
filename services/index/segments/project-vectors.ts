// The vectors of one project's units: a few files of one model, named in the manifest beside the segments.
import { randomUUID } from 'node:crypto'
import { join } from 'node:path'
import type { UnitVector } from '../search-index.ts'
import { checkDimension, toUnitLength } from './find-by-vector.ts'
import type { Contents, VectorEntry } from './manifest.ts'
import { runKey, type Segment } from './segment.ts'
import { heldOf } from './unembedded.ts'
import { createUnitPlaces, type UnitPlaces } from './unit-places.ts'
import { openVectorFile, type VectorFile, type VectorRow, writeVectorFile } from './vector-file.ts'

/** So many files of a tier become one of the next: see merge-choice.ts. */
const tierWidth = 8
/** Bounds the memory of a merge; larger files are merged only to drop what is gone. */
const maxRows = 65_536
/** With this share of its rows gone a file is written anew. */
const goneShare = 0.25

type Commit = (change: (contents: Contents) => Contents | null) => void

export function createProjectVectors(folder: string) {
  let entry: VectorEntry | null = null
  let files: VectorFile[] = []

  /** Opens what the manifest names; throws ENOENT when it is not the newest any more. */
  function take(next: VectorEntry | null) {
    if (next === entry) return
    const known = new Map(files.map((file) => [file.name, file]))
    const opened = (next?.files ?? []).map(
      (name) => known.get(name) ?? openVectorFile(join(folder, name), name),
    )
    for (const file of files) if (!opened.includes(file)) file.close()
    files = opened
    entry = next
  }

  /** The files with vectors of a model. */
  const of = (model: string): VectorFile[] => (entry?.model === model ? files : [])

  /** Writes a file of what is new. */
  function add(segments: Segment[], model: string, given: UnitVector[], commit: Commit) {
    const rows = toRows(given, createUnitPlaces(segments), of(model))
    for (const { vector } of rows) checkDimension(vector, of(model)[0]?.dimension ?? rows[0]!.vector.length)
    const name = `${randomUUID()}.vec`
    if (rows.length > 0) writeVectorFile(join(folder, name), rows)
    const added = rows.length > 0 ? [name] : []
    commit((contents) => {
      const held = contents.vectors
      if (held?.model !== model) return { ...contents, vectors: { model, files: added } }
      return added.length === 0 ? null : { ...contents, vectors: { model, files: [...held.files, ...added] } }
    })
  }

  /** Makes fewer files of many, without the rows of units that are gone. */
  function merge(segments: Segment[], commit: Commit) {
    for (;;) {
      const places = createUnitPlaces(segments)
      const chosen = chooseFiles(files, places)
      if (chosen === null) return
      const rows = chosen.flatMap((file) => livingRows(file, places)).sort(byUnit)
      const name = `${randomUUID()}.vec`
      if (rows.length > 0) writeVectorFile(join(folder, name), rows)
      const names = new Set(chosen.map((file) => file.name))
      commit((contents) => {
        const held = contents.vectors
        // Another writer has merged some of them, or set another model.
        if (!held || [...names].some((each) => !held.files.includes(each))) return null
        const rest = held.files.filter((each) => !names.has(each))
        return { ...contents, vectors: { ...held, files: rows.length > 0 ? [name, ...rest] : rest } }
      })
    }
  }

  return { take, of, add, merge }
}

/** Vectors of units that are in the index and have none, each once. */
function toRows(given: UnitVector[], places: UnitPlaces, files: VectorFile[]): VectorRow[] {
  const rows = new Map<string, VectorRow>()
  for (const { unit, vector } of given) {
    const [page = '', version, ordinal] = unit.split(':')
    const row = { page, version: Number(version), ordinal: Number(ordinal), vector: toUnitLength(vector) }
    const isHeld = heldOf(files, runKey(page, row.version)).some((ordinals) => ordinals.has(row.ordinal))
    if (!isHeld && places.of(page, row.version, row.ordinal)) rows.set(unit, row)
  }
  return [...rows.values()].sort(byUnit)
}

function byUnit(a: VectorRow, b: VectorRow): number {
  if (a.page !== b.page) return a.page < b.page ? -1 : 1
  return a.version - b.version || a.ordinal - b.ordinal
}

/** The files to make one of, or null. */
function chooseFiles(files: VectorFile[], places: UnitPlaces): VectorFile[] | null {
  const worn = files.find((file) => goneRows(file, places) > goneShare * file.rows)
  if (worn) return [worn]
  const tiers = new Map<number, VectorFile[]>()
  for (const file of files.filter(({ rows }) => rows < maxRows)) {
    const tier = Math.floor(Math.log(file.rows) / Math.log(tierWidth))
    tiers.set(tier, [...(tiers.get(tier) ?? []), file])
  }
  return [...tiers.values()].find((tier) => tier.length >= tierWidth) ?? null
}

function goneRows({ runs }: VectorFile, places: UnitPlaces): number {
  return runs.reduce((sum, { page, version, rows }) => sum + (places.has(page, version) ? 0 : rows), 0)
}

function livingRows(file: VectorFile, places: UnitPlaces): VectorRow[] {
  return file.runs.flatMap(({ page, version, first, rows }) =>
    places.has(page, version)
      ? Array.from({ length: rows }, (_, at) => ({
          page,
          version,
          ordinal: file.ordinals[first + at]!,
          vector: file.vector(first + at),
        }))
      : [],
  )
}
