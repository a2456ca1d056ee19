// The embedded driver of the index port: a folder a project, of immutable segments.
import { existsSync, mkdirSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import type { Hit, SearchIndex } from '../search-index.ts'
import { findByTerms } from './find-by-terms.ts'
import { findByVector } from './find-by-vector.ts'
import { createProjectIndex, type ProjectIndex } from './project-index.ts'
import { runKey } from './segment.ts'
import type { Place } from './top.ts'
import { findUnembedded } from './unembedded.ts'
import { createUnitPlaces } from './unit-places.ts'
import { readVocabulary } from './vocabulary.ts'

const uuid = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/

/**
 * Opens the index below `folder`, which is made if missing. Any number of handles, in any threads, may be open on it:
 * each sees what another has written by its next call. Calls do their work before they return control.
 */
export async function openSegmentIndex(folder: string): Promise<SearchIndex> {
  mkdirSync(folder, { recursive: true })
  const projects = new Map<string, ProjectIndex>()

  function indexOf(project: string): ProjectIndex {
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
      if (units.length > 0) indexOf(project).add(units)
    },
    async findByTerms(project, query) {
      return findByTerms(indexOf(project).current(), query).map(toHit)
    },
    async units(project, ids) {
      const places = createUnitPlaces(indexOf(project).current())
      return ids.flatMap((id) => {
        const [page = '', version, ordinal] = id.split(':')
        const at = places.of(page, Number(version), Number(ordinal))
        return at ? [at.segment.unit(at.place)] : []
      })
    },
    async findByVector(project, query) {
      const index = indexOf(project)
      const segments = index.current()
      return findByVector(index.vectors.of(query.model), createUnitPlaces(segments), query).map(toHit)
    },
    async setVectors(project, model, vectors) {
      indexOf(project).setVectors(model, vectors)
    },
    async unembedded(project, model, limit, languages = null) {
      const index = indexOf(project)
      const segments = index.current()
      return findUnembedded(segments, index.vectors.of(model), limit, languages)
    },
    async remove(project, versions) {
      if (versions.length > 0) indexOf(project).remove(versions)
    },
    async *versions(project) {
      const found = new Map<string, { page: string; version: number; units: number }>()
      for (const { runs, removed } of indexOf(project).current()) {
        const gone = new Set(removed)
        for (const [at, { page, version, units }] of runs.entries()) {
          if (gone.has(at)) continue
          const known = found.get(runKey(page, version))
          if (known) known.units += units
          else found.set(runKey(page, version), { page, version, units })
        }
      }
      yield* found.values()
    },
    async vocabulary(project) {
      return readVocabulary(indexOf(project).current())
    },
    async optimize(project) {
      indexOf(project).optimize()
    },
    async projects() {
      // Whatever else somebody put there is none of ours.
      return readdirSync(folder).filter((name) => uuid.test(name))
    },
    async drop(project) {
      indexOf(project).drop()
    },
    async ping() {
      if (!existsSync(folder)) throw new Error('The folder of the index is gone.')
    },
    async close() {
      for (const index of projects.values()) index.close()
      projects.clear()
    },
  }
}

function toHit({ segment, place, score }: Place): Hit {
  return { unit: segment.unit(place), score }
}
