// The embedded driver of the index port. Each project has a folder with segments and vectors. One thread adds and removes
// units and merges segments, one thread (the same or another) sets vectors, any number of threads read.
import { existsSync, mkdirSync, readdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { type Hit, type SearchIndex, toVersionKey, type Unit, type Vocabulary } from '../search-index.ts'
import { chooseMerge, createFileSet } from './file-set.ts'
import { findByTerms, type ScoredRow } from './find-by-terms.ts'
import { isInHeading } from './posting.ts'
import { buildSegment, eachTerm, findUnit, mergeSegments, openSegment, type Segment } from './segment.ts'
import { createVectors, findByVector, findUnembedded } from './vectors.ts'

const uuid = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/

/**
 * Opens the index below `folder`, and creates it if missing. Any number of handles in any threads may read it. Each sees the
 * writes of others in its next call. Only one thread may call `add`, `remove`, `optimize` and `drop`, and only one
 * `setVectors` and `keepVectors`. Calls are synchronous.
 */
export async function openSegmentIndex(folder: string): Promise<SearchIndex> {
  mkdirSync(folder, { recursive: true })
  const projects = new Map<string, ProjectIndex>()

  function open(project: string): ProjectIndex {
    let index = projects.get(project)
    if (index === undefined) {
      if (!/^[\w-]+$/.test(project)) throw new Error('The project must be a UUID.')
      index = createProjectIndex(join(folder, project))
      projects.set(project, index)
    }
    return index
  }

  return {
    async add(project, units) {
      open(project).add(units)
    },
    async findByTerms(project, query) {
      return findByTerms(open(project).segments(), query).map(toHit)
    },
    async units(project, ids) {
      const segments = open(project).segments()
      return ids.flatMap((id) => {
        const found = findUnit(segments, id)
        return found ? [found.segment.unit(found.row)] : []
      })
    },
    async findByVector(project, query) {
      const { segments, vectors } = open(project)
      return findByVector(segments(), vectors.filesFor(query.model), query).map(toHit)
    },
    async setVectors(project, model, given) {
      const { segments, vectors } = open(project)
      vectors.set(segments(), model, given)
    },
    async keepVectors(project, model) {
      open(project).vectors.keep(model)
    },
    async unembedded(project, model, limit, languages = null) {
      const { segments, vectors } = open(project)
      return findUnembedded(segments(), vectors.filesFor(model), limit, languages)
    },
    async remove(project, versions) {
      open(project).remove(versions)
    },
    async *versions(project) {
      const runs = open(project)
        .segments()
        .flatMap((segment) => segment.liveRuns())
      for (const its of Map.groupBy(runs, ({ page, version }) => toVersionKey(page, version)).values()) {
        const { page, version } = its[0]!
        yield { page, version, units: its.reduce((sum, { length }) => sum + length, 0) }
      }
    },
    async vocabulary(project) {
      return readVocabulary(open(project).segments())
    },
    async optimize(project) {
      open(project).optimize()
    },
    async projects() {
      // Skips unrelated folders and files.
      return readdirSync(folder).filter((name) => uuid.test(name))
    },
    async drop(project) {
      open(project).drop()
    },
    async ping() {
      if (!existsSync(folder)) throw new Error('The folder of the index is missing.')
    },
    async close() {
      for (const index of projects.values()) index.close()
      projects.clear()
    },
  }
}

function toHit({ segment, row, score }: ScoredRow): Hit {
  return { unit: segment.unit(row), score }
}

/** Bounds the memory and time of a merge. */
const maxUnits = 32_768

function createProjectIndex(folder: string) {
  const set = createFileSet(folder, 'segment', openSegment)
  const vectors = createVectors(folder)

  function merge(everything: boolean) {
    for (;;) {
      const merged = chooseMerge(set.files(), (segment) => segment.deletedUnits(), maxUnits, everything)
      if (merged === null) return
      const isEmpty = merged.every((segment) => segment.deletedUnits() === segment.rows)
      set.replace(merged, isEmpty ? null : (path) => mergeSegments(path, merged))
    }
  }

  return {
    segments: set.files,
    vectors,

    add(units: Unit[]) {
      const segments = set.files()
      const added = new Map<string, Unit>()
      for (const unit of units) {
        if (!added.has(unit.id) && findUnit(segments, unit.id) === null) added.set(unit.id, unit)
      }
      if (added.size === 0) return
      set.replace([], (path) => buildSegment(path, [...added.values()]))
      merge(false)
    },

    remove(versions: { page: string; version: number }[]) {
      const keys = new Set(versions.map(({ page, version }) => toVersionKey(page, version)))
      set.remove(({ liveRunsOf }) => [...keys].flatMap(liveRunsOf))
      merge(false)
    },

    optimize: () => merge(true),

    /** Deletes the index. Readers see an empty index before the first file is deleted. */
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

type ProjectIndex = ReturnType<typeof createProjectIndex>

/** Counts the units with each term. */
function readVocabulary(segments: Segment[]): Vocabulary {
  const units = segments.reduce((sum, segment) => sum + segment.rows - segment.deletedUnits(), 0)
  const terms: string[] = []
  const counts: number[] = []
  const inHeadings: number[] = []
  for (const [term, postings] of eachTerm(segments)) {
    terms.push(term)
    counts.push(postings.length)
    inHeadings.push(postings.filter(isInHeading).length)
  }
  return { units, terms, counts: Uint32Array.from(counts), inHeadings: Uint32Array.from(inHeadings) }
}
