// The index of one project: a folder of segments and manifests. Any number of handles read; writers exclude each other by
// compare-and-set on the manifest.
import { randomUUID } from 'node:crypto'
import { existsSync, mkdirSync, rmSync, statSync } from 'node:fs'
import { join } from 'node:path'
import type { Unit, UnitVector } from '../search-index.ts'
import { buildSegment } from './build-segment.ts'
import {
  type Contents,
  isNewest,
  listFolder,
  type Manifest,
  readManifest,
  trimManifests,
  writeManifest,
} from './manifest.ts'
import { chooseMerge } from './merge-choice.ts'
import { mergeSegments } from './merge-segments.ts'
import { createProjectVectors } from './project-vectors.ts'
import { openSegment, runKey, type Segment, setRemoved } from './segment.ts'

/** A file that no manifest names is left over when it is this old, in milliseconds. */
const leftoverAge = 60_000

export function createProjectIndex(folder: string) {
  let manifest: Manifest = unread
  const vectors = createProjectVectors(folder)
  let segments: Segment[] = []
  let cleaned = false

  /** Segments of the newest manifest. */
  function current(): Segment[] {
    while (manifest.generation < 0 || !isNewest(folder, manifest.generation)) {
      const next = readManifest(folder)
      try {
        take(next)
      } catch (error) {
        // A segment was merged away between reading its name and opening it.
        if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error
        manifest = unread
      }
    }
    return segments
  }

  function take(next: Manifest) {
    const known = new Map(segments.map((segment) => [segment.name, segment]))
    const opened = next.segments.map(({ name, removed }) => {
      const segment = known.get(name) ?? openSegment(join(folder, name), name)
      setRemoved(segment, removed)
      return segment
    })
    vectors.take(next.vectors)
    for (const segment of segments) if (!opened.includes(segment)) segment.close()
    segments = opened
    manifest = next
  }

  /** Makes `change` of the newest contents the next; tries again when another writer was faster. */
  function commit(change: (contents: Contents) => Contents | null): void {
    for (;;) {
      current()
      const changed = change(manifest)
      if (changed === null) return
      const next = { ...changed, generation: manifest.generation + 1 }
      if (!writeManifest(folder, next, randomUUID())) continue
      const kept = new Set(filesOf(next))
      const gone = filesOf(manifest).filter((name) => !kept.has(name))
      take(next)
      for (const name of gone) rmSync(join(folder, name), { force: true })
      trimManifests(folder, next.generation)
      return
    }
  }

  /** Units that are not in the index yet, each id once. */
  function unknown(units: Unit[]): Unit[] {
    const open = current()
    const seen = new Set<string>()
    const ordinals = new Map<string, Set<number>>()
    return units.filter((unit) => {
      if (seen.has(unit.id)) return false
      seen.add(unit.id)
      const key = runKey(unit.page, unit.version)
      let known = ordinals.get(key)
      if (known === undefined) {
        known = ordinalsOf(open, key)
        ordinals.set(key, known)
      }
      return !known.has(unit.ordinal)
    })
  }

  function merge(everything: boolean) {
    for (;;) {
      const names = chooseMerge(current(), everything)
      if (names === null) return
      const merged = segments.filter((segment) => names.includes(segment.name))
      const before = JSON.stringify(merged.map(({ removed }) => removed))
      const name = `${randomUUID()}.seg`
      const units = mergeSegments(join(folder, name), merged)
      commit((contents) => {
        const taken = contents.segments.filter((entry) => names.includes(entry.name))
        // Another writer has removed or merged some of them meanwhile.
        if (JSON.stringify(taken.map(({ removed }) => removed)) !== before) return null
        const rest = contents.segments.filter((entry) => !names.includes(entry.name))
        return { ...contents, segments: units === 0 ? rest : [{ name, units, removed: [] }, ...rest] }
      })
    }
  }

  function clean() {
    if (cleaned && existsSync(folder)) return
    cleaned = true
    mkdirSync(folder, { recursive: true })
    const named = new Set(filesOf(readManifest(folder)))
    for (const name of listFolder(folder)) {
      if (named.has(name) || !/\.(?:seg|vec)$|^draft-/.test(name)) continue
      const path = join(folder, name)
      const age = Date.now() - (statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? 0)
      if (age > leftoverAge) rmSync(path, { force: true })
    }
  }

  return {
    current,

    add(units: Unit[]) {
      clean()
      const fresh = unknown(units)
      if (fresh.length === 0) return
      const name = `${randomUUID()}.seg`
      buildSegment(join(folder, name), fresh)
      commit((contents) => ({
        ...contents,
        segments: [...contents.segments, { name, units: fresh.length, removed: [] }],
      }))
      merge(false)
    },

    remove(versions: { page: string; version: number }[]) {
      commit((contents) => {
        let changed = false
        const next = contents.segments.map((entry, at) => {
          const places = segments[at]!.runPlaces()
          const going = versions
            .flatMap(({ page, version }) => places.get(runKey(page, version)) ?? [])
            .filter((place) => !entry.removed.includes(place))
          if (going.length === 0) return entry
          changed = true
          return { ...entry, removed: [...entry.removed, ...new Set(going)] }
        })
        return changed ? { ...contents, segments: next } : null
      })
      merge(false)
    },

    /** Vectors by model; `current` is called first. */
    vectors,

    setVectors(model: string, given: UnitVector[]) {
      clean()
      vectors.add(current(), model, given, commit)
      vectors.merge(current(), commit)
    },

    optimize() {
      merge(true)
      vectors.merge(current(), commit)
    },

    /** Removes everything; handles that have it open see an empty index. */
    drop() {
      commit(({ segments: held }) => (held.length === 0 ? null : { segments: [], vectors: null }))
      rmSync(folder, { recursive: true, force: true, maxRetries: 3 })
    },

    close() {
      for (const segment of segments) segment.close()
      vectors.take(null)
      segments = []
      manifest = unread
    },
  }
}

const unread: Manifest = { generation: -1, segments: [], vectors: null }

function filesOf({ segments, vectors }: Contents): string[] {
  return [...segments.map(({ name }) => name), ...(vectors?.files ?? [])]
}

export type ProjectIndex = ReturnType<typeof createProjectIndex>

function ordinalsOf(segments: Segment[], key: string): Set<number> {
  const ordinals = new Set<number>()
  for (const segment of segments) {
    for (const at of segment.runPlaces().get(key) ?? []) {
      if (segment.removed.includes(at)) continue
      const { first, units } = segment.runs[at]!
      for (let place = first; place < first + units; place++) ordinals.add(segment.ordinals[place]!)
    }
  }
  return ordinals
}
