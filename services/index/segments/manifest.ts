// Which segments a project's index has: a file a generation, `manifest-<generation>`, made by link(2), which fails
// where the name is taken. That is the compare-and-set between handles, and what makes an add seen whole or not at all:
// a file that no manifest names does not exist, and is deleted by the next writer.
import {
  closeSync,
  existsSync,
  fdatasyncSync,
  linkSync,
  openSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeSync,
} from 'node:fs'
import { join } from 'node:path'

interface SegmentEntry {
  /** File name. */
  name: string
  units: number
  /** Places of the page runs that were removed. */
  removed: number[]
}

/** The files that hold the vectors of one model. */
export interface VectorEntry {
  model: string
  /** File names. */
  files: string[]
}

/** What a generation of the index is made of. */
export interface Contents {
  segments: SegmentEntry[]
  /** Null until a unit has one. */
  vectors: VectorEntry | null
}

export interface Manifest extends Contents {
  generation: number
}

/** Older ones that are kept, so that a writer that was held up never takes a generation that was used and deleted. */
const keptGenerations = 32
const namePattern = /^manifest-(\d+)$/

const pathOf = (folder: string, generation: number) => join(folder, `manifest-${generation}`)

/** The newest manifest; generation 0 where there is none. */
export function readManifest(folder: string): Manifest {
  for (;;) {
    const generation = Math.max(0, ...generations(folder))
    if (generation === 0) return { generation: 0, segments: [], vectors: null }
    try {
      return { generation, ...readContents(readFileSync(pathOf(folder, generation), 'utf8')) }
    } catch (error) {
      // Deleted meanwhile: there are newer ones.
      if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error
    }
  }
}

/** Before there were vectors, a manifest was the list of segments alone. */
function readContents(text: string): Contents {
  const contents: Contents | SegmentEntry[] = JSON.parse(text)
  return Array.isArray(contents) ? { segments: contents, vectors: null } : contents
}

/** Whether `generation` is the newest; two calls of stat. */
export function isNewest(folder: string, generation: number): boolean {
  if (existsSync(pathOf(folder, generation + 1))) return false
  return generation === 0 ? generations(folder).length === 0 : existsSync(pathOf(folder, generation))
}

/** Makes `next` the newest; false when another writer has made one of its generation. */
export function writeManifest(
  folder: string,
  { generation, ...contents }: Manifest,
  unique: string,
): boolean {
  const draft = join(folder, `draft-${unique}`)
  const file = openSync(draft, 'wx')
  writeSync(file, JSON.stringify(contents satisfies Contents))
  fdatasyncSync(file)
  closeSync(file)
  try {
    linkSync(draft, pathOf(folder, generation))
    return true
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false
    throw error
  } finally {
    rmSync(draft, { force: true })
  }
}

/** Deletes old manifests. */
export function trimManifests(folder: string, newest: number): void {
  rmSync(pathOf(folder, newest - keptGenerations), { force: true })
}

function generations(folder: string): number[] {
  return listFolder(folder).flatMap((name) => {
    const generation = namePattern.exec(name)?.[1]
    return generation === undefined ? [] : [Number(generation)]
  })
}

/** Names of the files; none where there is no folder. */
export function listFolder(folder: string): string[] {
  try {
    return readdirSync(folder)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return []
    throw error
  }
}
