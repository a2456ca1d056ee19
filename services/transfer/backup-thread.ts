// Entry of the thread that writes an archive. A thread is needed because copying the snapshot is one long statement.
import { workerData } from 'node:worker_threads'
import { openSnapshot } from '../drivers.ts'
import { serveThread } from '../thread/thread.ts'
import { writeArchive } from './archive.ts'
import type { BackupApi, BackupThreadSettings } from './backup.ts'

const { backends, folder, secret } = workerData as BackupThreadSettings
const store = await openSnapshot(backends, folder)
const archive = writeArchive({ store, secret, now: () => new Date(), progress() {} })
let count = 0

serveThread('backup', {
  async next(part) {
    if (part !== count) throw new Error('the thread that began the archive has ended')
    count += 1
    const { done, value } = await archive.next()
    return done ? null : Buffer.from(value)
  },
  close: store.close,
} satisfies BackupApi)
