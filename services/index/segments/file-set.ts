// The files of one kind in a project's folder: a manifest names those that exist for readers. One thread changes the set, any
// number of threads read it. A killed writer leaves files that no manifest names; the next writer deletes them.
import { randomUUID } from 'node:crypto'
import { mkdirSync, readdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { createManifestReader, writeManifest } from './manifest.ts'

interface FileEntry {
  name: string
  /** Numbers of the runs that were removed since it was written. */
  removed: number[]
}

interface OpenFile {
  rows: number
  /** Called whenever the set has changed. */
  setRemoved?(numbers: number[]): void
  close(): void
}

/** `open` is called once for each file. */
export function createFileSet<File extends OpenFile>(
  folder: string,
  extension: 'seg' | 'vec',
  open: (path: string) => File,
) {
  const manifest = join(folder, `${extension}.json`)
  const reader = createManifestReader<FileEntry>(manifest)
  const opened = new Map<string, File>()
  let entries: FileEntry[] = []
  let files: File[] = []
  let isClean = false

  function take(next: FileEntry[]) {
    const taken = next.map(({ name, removed }) => {
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
    entries = next
    files = taken
  }

  /** Follows what the writer has done. */
  function update() {
    for (let newest = reader.read(); newest !== entries; newest = reader.read()) {
      try {
        take(newest)
      } catch (error) {
        // The writer has deleted a file since: then there is a newer manifest.
        const isDeleted = (error as NodeJS.ErrnoException).code === 'ENOENT'
        if (!isDeleted || reader.read() === newest) throw error
      }
    }
  }

  /** Before the first write, with the folder made where it is missing. */
  function clean() {
    mkdirSync(folder, { recursive: true })
    if (isClean) return
    isClean = true
    for (const name of readdirSync(folder)) {
      if (name.endsWith(`.${extension}`) && !opened.has(name)) rmSync(join(folder, name))
    }
  }

  return {
    /** The files in the order of the manifest, the same array until the set changes. */
    files(): File[] {
      update()
      return files
    },

    /**
     * Puts a file that `write` makes in place of others, or at the end where there are none: files are in the order in which
     * their rows came. Without `write` the others are only removed. Called by the writer only.
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

    /** Removes runs of files that stay; `toRemoved`: the numbers of a file's. Called by the writer only. */
    remove(toRemoved: (file: File) => number[]) {
      update()
      const numbers = files.map(toRemoved)
      if (numbers.every(({ length }) => length === 0)) return
      const next = entries.map(({ name, removed }, at) => ({ name, removed: [...removed, ...numbers[at]!] }))
      writeManifest(manifest, next)
      update()
    },

    /** Empties the set for readers. The files may be deleted afterwards. */
    drop: () => rmSync(manifest, { force: true }),

    close() {
      reader.close()
      take([])
    },
  }
}

/** This many files of a tier become one of the next. */
const tierWidth = 16
/** A file with a larger share of deleted rows is written again. */
const maxDeleted = 0.25

/**
 * Which files to make one of, or null: tiers of similar size, as in log-structured merge trees (O'Neil et al., 1996). Files
 * near `maxRows` are merged only to drop deleted rows. `everything`: as few files as that allows.
 *
 *   rows 20k 900 200 200 200 200 : nothing · twelve more of 200: the sixteen of their tier become one
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
