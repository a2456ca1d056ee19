// The index of one project: a folder of segments and vectors. One thread adds and removes units and merges segments; one
// thread, which may be another, sets vectors; any number of threads read.
import { existsSync, rmSync } from 'node:fs'
import type { Unit, Vocabulary } from '../search-index.ts'
import { buildSegment, type EncodedUnit } from './build-segment.ts'
import { chooseMerge, createFileSet, type FileEntry } from './file-set.ts'
import { isInHeading } from './posting.ts'
import { parseUnitId, toVersionKey } from './runs.ts'
import { decodeUnit, encodeUnit, findUnit, openSegment, type Segment } from './segment.ts'
import { createVectors } from './vectors.ts'

/** Bounds the memory and time of a merge. */
const maxUnits = 32_768

interface SegmentEntry extends FileEntry {
  /** Numbers of the runs that were removed. */
  removed: number[]
}

export function createProjectIndex(folder: string) {
  const set = createFileSet<SegmentEntry, Segment>(folder, 'seg', openSegment, (segment, { removed }) =>
    segment.setRemoved(removed),
  )
  const vectors = createVectors(folder)

  /** Puts a segment with these units in place of others. */
  function replace(old: Segment[], units: Iterable<EncodedUnit> | null) {
    set.replace(old, { removed: [] }, units && ((path) => buildSegment(path, units)))
  }

  function merge(everything: boolean) {
    for (;;) {
      const merged = chooseMerge(set.files(), (segment) => segment.deletedUnits(), maxUnits, everything)
      if (merged === null) return
      const isEmpty = merged.every((segment) => segment.deletedUnits() === segment.rows)
      replace(merged, isEmpty ? null : liveUnits(merged))
    }
  }

  return {
    segments: set.files,
    vectors,

    add(units: Unit[]) {
      const segments = set.files()
      const added = new Map<string, Unit>()
      for (const unit of units) {
        const { version, ordinal } = parseUnitId(unit.id)
        if (!added.has(unit.id) && findUnit(segments, version, ordinal) === null) added.set(unit.id, unit)
      }
      if (added.size === 0) return
      const byVersion = Map.groupBy(added.values(), ({ page, version }) => toVersionKey(page, version))
      const sorted = [...byVersion.values()].flat()
      replace(
        [],
        sorted.map((unit) => ({ unit, bytes: encodeUnit(unit) })),
      )
      merge(false)
    },

    remove(versions: { page: string; version: number }[]) {
      const segments = set.files()
      let isChanged = false
      const entries = set.entries().map((entry, at) => {
        const numbers = versions
          .map(({ page, version }) => segments[at]!.liveRun(toVersionKey(page, version)))
          .filter((number) => number >= 0)
        if (numbers.length === 0) return entry
        isChanged = true
        return { ...entry, removed: [...entry.removed, ...new Set(numbers)] }
      })
      if (!isChanged) return
      set.change(entries)
      merge(false)
    },

    optimize: () => merge(true),

    /** Removes everything. Readers see an empty index before the first file goes. */
    drop() {
      set.drop()
      vectors.drop()
      if (existsSync(folder)) rmSync(folder, { recursive: true, maxRetries: 3 })
    },

    close() {
      set.close()
      vectors.close()
    },
  }
}

export type ProjectIndex = ReturnType<typeof createProjectIndex>

/** The units that are not deleted, those of one page version side by side. */
function* liveUnits(segments: Segment[]): Iterable<EncodedUnit> {
  const runs = segments.flatMap((segment) => segment.liveRuns().map((run) => ({ segment, run })))
  const byVersion = Map.groupBy(runs, ({ run }) => toVersionKey(run.page, run.version))
  for (const { segment, run } of [...byVersion.values()].flat()) {
    for (let row = run.first; row < run.first + run.length; row++) {
      const bytes = segment.bytes(row)
      yield { unit: decodeUnit(bytes), bytes }
    }
  }
}

/** Counts the units of every term. */
export function readVocabulary(segments: Segment[]): Vocabulary {
  const sums = new Map<string, { anywhere: number; inHeadings: number }>()
  for (const segment of segments) {
    const deleted = segment.deleted()
    const { terms, postings, starts } = segment.allPostings()
    for (const [at, term] of terms.entries()) {
      let anywhere = 0
      let inHeadings = 0
      for (const posting of postings.subarray(starts[at]!, starts[at + 1]!)) {
        if (deleted?.[posting >>> 8]) continue
        anywhere++
        if (isInHeading(posting)) inHeadings++
      }
      const sum = sums.get(term)
      if (sum) {
        sum.anywhere += anywhere
        sum.inHeadings += inHeadings
      } else if (anywhere > 0) sums.set(term, { anywhere, inHeadings })
    }
  }
  const terms = [...sums.keys()].sort()
  return {
    units: segments.reduce((sum, segment) => sum + segment.rows - segment.deletedUnits(), 0),
    terms,
    counts: Uint32Array.from(terms, (term) => sums.get(term)!.anywhere),
    inHeadings: Uint32Array.from(terms, (term) => sums.get(term)!.inHeadings),
  }
}
