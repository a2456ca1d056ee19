// The files of one kind in a project's folder. A manifest lists the files that readers see. One thread writes, any number of
// threads read. A writer that crashes may leave files that are not in the manifest; the next writer deletes them.
import { randomUUID } from 'node:crypto'
import { mkdirSync, readdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { readManifest, writeManifest } from './manifest.ts'

interface FileEntry {
  name: string
  /** Numbers of the runs removed since the file was written. */
  removed: number[]
}

interface OpenFile {
  rows: number
  /** Called after each change of the set. */
  setRemoved?(numbers: number[]): void
  close(): void
}

/** Calls `open` once for each file. */
export function createFileSet<File extends OpenFile>(
  folder: string,
  extension: 'segment' | 'vectors',
  open: (path: string) => File,
) {
  const manifest = join(folder, `${extension}.json`)
  const opened = new Map<string, File>()
  let known = '[]'
  let entries: FileEntry[] = []
  let files: File[] = []
  let isClean = false

  function take(list: string) {
    const next = JSON.parse(list) as FileEntry[]
    const nextFiles = next.map(({ name, removed }) => {
      const file = opened.get(name) ?? open(join(folder, name))
      opened.set(name, file)
      file.setRemoved?.(removed)
      return file
    })
    const names = new Set(next.map(({ name }) => name))
    for (const [name, file] of opened) {
      if (names.has(name)) continue
      file.close()
      opened.delete(name)
    }
    known = list
    entries = next
    files = nextFiles
  }

  /** Opens and closes files if the writer has changed the manifest. */
  function update() {
    for (let list = readManifest(manifest); list !== known; list = readManifest(manifest)) {
      try {
        take(list)
      } catch (error) {
        // If the writer has deleted a file, there is a newer manifest.
        const isDeleted = (error as NodeJS.ErrnoException).code === 'ENOENT'
        if (!isDeleted || readManifest(manifest) === list) throw error
      }
    }
  }

  /** Before the first write: creates the folder if missing, and deletes leftover files. */
  function clean() {
    mkdirSync(folder, { recursive: true })
    if (isClean) return
    isClean = true
    for (const name of readdirSync(folder)) {
      if (name.endsWith(`.${extension}`) && !opened.has(name)) rmSync(join(folder, name))
    }
  }

  return {
    /** Returns the files in the order of the manifest; the same array until the set changes. */
    files(): File[] {
      update()
      return files
    },

    /**
     * Replaces the `old` files with the file that `write` creates, or appends it if `old` is empty: files are in the order of
     * their rows. Without `write`, only removes the old files. For the writer only.
     */
    replace(old: File[], write: ((path: string) => void) | null) {
      update()
      clean()
      const next = entries.filter((_, at) => !old.includes(files[at]!))
      const removed = entries.filter((_, at) => old.includes(files[at]!))
      if (write) {
        const name = `${randomUUID()}.${extension}`
        write(join(folder, name))
        const position = old.length > 0 ? files.findIndex((file) => old.includes(file)) : next.length
        next.splice(position, 0, { name, removed: [] })
      }
      writeManifest(manifest, next)
      update()
      for (const { name } of removed) rmSync(join(folder, name), { force: true })
    },

    /** Removes runs from files. `toRemoved` returns the numbers of a file's runs to remove. For the writer only. */
    remove(toRemoved: (file: File) => number[]) {
      update()
      const numbers = files.map(toRemoved)
      if (numbers.every(({ length }) => length === 0)) return
      const next = entries.map(({ name, removed }, at) => ({ name, removed: [...removed, ...numbers[at]!] }))
      writeManifest(manifest, next)
      update()
    },

    /** Empties the set for readers. The caller may then delete the files. */
    drop: () => rmSync(manifest, { force: true }),

    close: () => take('[]'),
  }
}

/** Number of files of a tier that are merged into one of the next. */
const tierWidth = 16
/** A file with a larger share of deleted rows is rewritten. */
const maxDeleted = 0.25

/**
 * Returns the files to merge, or null. Files form tiers of similar size, as in log-structured merge trees (O'Neil et al., 1996).
 * Files near `maxRows` are merged only to drop deleted rows. `everything`: merge to as few files as possible.
 *
 *   rows 20k 900 200 200 200 200 : null · with twelve more of 200: the sixteen files of 200
 */
export function chooseMerge<File extends OpenFile>(
  files: File[],
  deletedRows: (file: File) => number,
  maxRows: number,
  everything: boolean,
): File[] | null {
  const worn = files.find((file) => deletedRows(file) > maxDeleted * file.rows)
  if (worn) return [worn]
  const small = files.filter(({ rows }) => rows < maxRows / 2)
  const tiers = Map.groupBy(small, ({ rows }) => Math.floor(Math.log(rows) / Math.log(tierWidth)))
  const candidates = everything ? small : [...tiers.values()].find((tier) => tier.length >= tierWidth)
  let rows = 0
  const smallestFirst = (candidates ?? []).toSorted((a, b) => a.rows - b.rows)
  const chosen = smallestFirst.filter((file) => {
    rows += file.rows
    return rows <= maxRows
  })
  return chosen.length > 1 ? files.filter((file) => chosen.includes(file)) : null
}
