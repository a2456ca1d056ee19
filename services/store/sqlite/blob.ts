// Uploaded files, in a folder next to the database. Incomplete files have the suffix `.part`.
import { createReadStream, mkdtempSync, rmSync } from 'node:fs'
import { link, mkdir, open, readdir, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { buffer } from 'node:stream/consumers'
import { type BlobStore, countPieces } from '../blob.ts'
import type { Connection } from './connection.ts'

const ending = '.part'
const idForm = /^[\w-]{1,64}$/

/** `path`: null for a temporary folder, for an in-memory database. */
export function openBlobFolder(path: string | null): { path: string; close(): void } {
  if (path !== null) return { path, close: () => {} }
  const folder = mkdtempSync(join(tmpdir(), 'lectern-blobs-'))
  return { path: folder, close: () => rmSync(folder, { recursive: true, force: true }) }
}

export function createBlobs(db: Connection, folder: string): BlobStore {
  let parts = 0

  function toPath(id: string): string {
    if (!idForm.test(id)) throw new Error('The id of the blob is invalid.')
    return join(folder, id)
  }

  return {
    async put(id, given) {
      const path = toPath(id)
      await mkdir(folder, { recursive: true, mode: 0o700 })
      const part = `${path}.${process.pid}-${parts++}${ending}`
      const { pieces, blob } = countPieces(given)
      try {
        await writeFile(part, pieces, { flag: 'wx', mode: 0o600, flush: true })
        await link(part, path).catch(unless('EEXIST'))
        await syncFolder(folder)
        return blob()
      } finally {
        await rm(part, { force: true })
      }
    },

    async read(id, from, length) {
      const stream = createReadStream(toPath(id), { start: from, end: from + length })
      const bytes = await buffer(stream).catch(unless('ENOENT'))
      return bytes?.subarray(0, length) ?? null
    },

    async delete(id) {
      await rm(toPath(id), { force: true })
    },

    async sweep(before) {
      const rows = db.all<{ id: string }>("select options ->> '$.blob' as id from source")
      const used = new Set(rows.map(({ id }) => id))
      for (const name of (await readdir(folder).catch(unless('ENOENT'))) ?? []) {
        if (used.has(name)) continue
        const path = join(folder, name)
        const found = await stat(path).catch(unless('ENOENT'))
        if (found && found.mtime.toISOString() < before) await rm(path, { force: true })
      }
    },
  }
}

/** Syncs the folder to disk, so that a power failure does not lose new files. */
async function syncFolder(path: string): Promise<void> {
  const folder = await open(path, 'r')
  await folder.sync().finally(() => folder.close())
}

const unless = (code: string) => (error: NodeJS.ErrnoException) => {
  if (error.code !== code) throw error
  return null
}
