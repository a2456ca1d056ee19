// Archives for callers of the API, beside the work of the process. The command line's are in transfer.ts.
import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import type { Backends } from '../config.ts'
import { rateLimited } from '../errors.ts'
import { threadKinds } from '../thread/kinds.ts'
import { createThread } from '../thread/thread.ts'
import { toArchiveSecret } from './archive.ts'

export type BackupApi = {
  /** The part of this number, from 0 on, each once; null: the archive is complete. */
  next(part: number): Promise<Uint8Array | null>
  close(): Promise<void>
}

export interface BackupThreadSettings {
  backends: Backends
  /** Where the snapshot is kept meanwhile. */
  folder: string
  secret: string
}

interface BackupOptions {
  backends: Backends
  /** LECTERN_SECRET. */
  secret: Buffer
  report(error: unknown): void
}

const maxPiece = 256 * 1024

/** Creates the function that streams an archive. It throws DomainError rate_limited while another is under way. */
export function createBackup({ backends, secret, report }: BackupOptions) {
  const folder = join(backends.data, 'backup.snapshot')
  let isUnderWay = false

  return async function* (): AsyncGenerator<Uint8Array> {
    if (isUnderWay) throw rateLimited('A backup is under way already.', 10)
    isUnderWay = true
    const workerData: BackupThreadSettings = { backends, folder, secret: toArchiveSecret(secret) }
    const entry = new URL('./backup-thread.ts', import.meta.url)
    const thread = createThread<BackupApi>({ ...threadKinds.backup, entry, workerData, report })
    try {
      for (let part = 0; ; part += 1) {
        const bytes = await thread.api.next(part)
        if (bytes === null) return
        for (let at = 0; at < bytes.length; at += maxPiece) yield bytes.subarray(at, at + maxPiece)
      }
    } finally {
      await thread.close()
      // What a thread that died left behind.
      await rm(folder, { recursive: true, force: true })
      isUnderWay = false
    }
  }
}
