// A manifest lists the immutable files of an index. It has one writer and any number of readers in any threads. The writer
// replaces it by `rename`, so readers see either the old list or the new one.
import { readFileSync, renameSync, writeFileSync } from 'node:fs'

/** Replaces the list. The listed files must be on disk. */
export function writeManifest(path: string, entries: unknown[]): void {
  const draft = `${path}.draft`
  writeFileSync(draft, JSON.stringify(entries), { flush: true })
  renameSync(draft, path)
}

/** The list as JSON. Empty if there is no manifest. */
export function readManifest(path: string): string {
  try {
    return readFileSync(path, 'utf8')
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error
    return '[]'
  }
}
