// The embedded driver of the index port: a folder for each project.
import { existsSync, mkdirSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import type { Hit, SearchIndex } from '../search-index.ts'
import { findByTerms, type ScoredRow } from './find-by-terms.ts'
import { createProjectIndex, type ProjectIndex, readVocabulary } from './project-index.ts'
import { parseUnitId, toVersionKey } from './runs.ts'
import { findUnit } from './segment.ts'
import { findByVector, findUnembedded } from './vectors.ts'

const uuid = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/

/**
 * Opens the index below `folder`, which is made if missing. Any number of handles, in any threads, may read it: each sees what
 * others have written by its next call. All of `add`, `remove`, `optimize` and `drop` is called by one thread, all of
 * `setVectors` by one thread. Calls do their work before they return control.
 */
export async function openSegmentIndex(folder: string): Promise<SearchIndex> {
  mkdirSync(folder, { recursive: true })
  const projects = new Map<string, ProjectIndex>()

  function open(project: string): ProjectIndex {
    let index = projects.get(project)
    if (index === undefined) {
      if (!/^[\w-]+$/.test(project)) throw new Error('A project is named by its UUID.')
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
        const { version, ordinal } = parseUnitId(id)
        const found = findUnit(segments, version, ordinal)
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
      const byVersion = Map.groupBy(runs, ({ page, version }) => toVersionKey(page, version))
      for (const parts of byVersion.values()) {
        const { page, version } = parts[0]!
        yield { page, version, units: parts.reduce((sum, { length }) => sum + length, 0) }
      }
    },
    async vocabulary(project) {
      return readVocabulary(open(project).segments())
    },
    async optimize(project) {
      open(project).optimize()
    },
    async projects() {
      // Other folders and files are not ours.
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
