// A manifest names the immutable files that an index consists of. It has one writer, and any number of readers in any
// threads: `rename` replaces it, so they read the old list or the new one.
import {
  closeSync,
  fdatasyncSync,
  fstatSync,
  openSync,
  readFileSync,
  renameSync,
  statSync,
  writeSync,
} from 'node:fs'

/** Replaces the list. The files that it names must be on disk. */
export function writeManifest(path: string, entries: unknown[]): void {
  const draft = `${path}.draft`
  const file = openSync(draft, 'w')
  writeSync(file, JSON.stringify(entries))
  fdatasyncSync(file)
  closeSync(file)
  renameSync(draft, path)
}

/** Reads the file only when it was replaced. It is kept open until then, so that no newer one has the same inode. */
export function createManifestReader<Entry>(path: string) {
  const none: Entry[] = []
  let opened: { file: number; inode: bigint; entries: Entry[] } | null = null

  function close() {
    if (opened !== null) closeSync(opened.file)
    opened = null
  }

  function open(): typeof opened {
    const file = openSync(path, 'r')
    const entries = JSON.parse(readFileSync(file, 'utf8')) as Entry[]
    return { file, inode: fstatSync(file, { bigint: true }).ino, entries }
  }

  return {
    /** The newest list, the same array until it is replaced; empty where there is no manifest. */
    read(): Entry[] {
      const found = statSync(path, { bigint: true, throwIfNoEntry: false })
      if (found?.ino === opened?.inode) return opened?.entries ?? none
      close()
      try {
        opened = open()
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error
      }
      return opened?.entries ?? none
    },
    close,
  }
}
