// A manifest lists the immutable files of an index. It has one writer and any number of readers in any threads. The writer
// replaces it by `rename`, so readers see either the old list or the new one.
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

/** Replaces the list. The listed files must be on disk. */
export function writeManifest(path: string, entries: unknown[]): void {
  const draft = `${path}.draft`
  const file = openSync(draft, 'w')
  writeSync(file, JSON.stringify(entries))
  fdatasyncSync(file)
  closeSync(file)
  renameSync(draft, path)
}

/** Reads the file only if its inode has changed. Keeps it open until then, so that the inode is not reused. */
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
    /** Returns the current list; the same array until it is replaced. Empty if there is no manifest. */
    read(): Entry[] {
      const status = statSync(path, { bigint: true, throwIfNoEntry: false })
      if (status?.ino === opened?.inode) return opened?.entries ?? none
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
