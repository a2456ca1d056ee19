// Archives for callers of the API, created while the process serves. transfer.ts has those of the command line.
import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import type { Backends } from '../config.ts'
import { rateLimited } from '../errors.ts'
import { threadKinds } from '../thread/kinds.ts'
import { createThread } from '../thread/thread.ts'
import { toArchiveSecret } from './archive.ts'

export type BackupApi = {
  /** Returns the next part, numbered from 0; null at the end. Each part can be read once. */
  next(part: number): Promise<Uint8Array | null>
  close(): Promise<void>
}

export interface BackupThreadSettings {
  backends: Backends
  /** Temporary folder of the snapshot. */
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

/** Creates a function that streams an archive. It throws DomainError rate_limited if another is in progress. */
export function createBackup({ backends, secret, report }: BackupOptions) {
  const folder = join(backends.data, 'backup.snapshot')
  let isRunning = false

  return async function* (): AsyncGenerator<Uint8Array> {
    if (isRunning) throw rateLimited('A backup is already in progress.', 10)
    isRunning = true
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
      // A crashed thread does not remove the snapshot.
      await rm(folder, { recursive: true, force: true })
      isRunning = false
    }
  }
}
