// Background work at the start and then hourly: deletes unused uploads, erases expired data, and counts past days.
import { setImmediate } from 'node:timers/promises'
import type { Project } from './store/project.ts'
import type { Store } from './store/store.ts'

interface HourlyDeps {
  store: Pick<Store, 'projects' | 'analytics' | 'chats' | 'blobs'>
  /** Whether this is the only process that stores uploads. Then those from before the start have ended. */
  isAlone: boolean
  now(): Date
  /** Receives the error of a task. Others continue, and the next round retries it. */
  report(error: unknown): void
}

const intervalMs = 60 * 60_000
const dayMs = 24 * intervalMs
/** No upload takes longer. */
const maxUploadMs = dayMs
/** Chats or events deleted per store call. Closing waits for the current call. */
const maxBatch = 100
/** Number of past days to count. */
const countedDays = 7

/** Rounds never overlap. */
export function openHourly({ store, isAlone, now, report }: HourlyDeps) {
  let isClosed = false
  let uploadAge = isAlone ? 0 : maxUploadMs
  // The largest allowed retention reaches back beyond the epoch.
  const before = (age: number) => new Date(Math.max(0, now().getTime() - age)).toISOString()

  async function sweepUploads() {
    const at = before(uploadAge)
    uploadAge = maxUploadMs
    await store.blobs.sweep(at)
  }

  async function eraseExpired({ uuid, config: { retentionDays } }: Project) {
    if (retentionDays === null) return
    const at = before(retentionDays * dayMs)
    for (const table of [store.chats, store.analytics]) {
      let erased = maxBatch
      while (erased === maxBatch && !isClosed) erased = await table.expire(uuid, at, maxBatch)
    }
  }

  /** Lets the store count past days in advance, so that analytics of a year respond quickly. */
  async function countDays({ uuid }: Project) {
    const range = { from: before(countedDays * dayMs).slice(0, 10), to: before(dayMs).slice(0, 10) }
    // Without measures, the store counts but returns nothing.
    await store.analytics.daily(uuid, range, [])
    await store.chats.daily(uuid, range, [])
    await setImmediate()
  }

  async function work() {
    await sweepUploads().catch(report)
    for (const project of await store.projects.all()) {
      for (const task of [eraseExpired, countDays]) if (!isClosed) await task(project).catch(report)
    }
  }

  let last = work().catch(report)
  const timer = setInterval(() => {
    last = last.then(work).catch(report)
  }, intervalMs).unref()
  return {
    /** Starts no further round. Resolves when the current one ends. */
    async close() {
      isClosed = true
      clearInterval(timer)
      await last
    },
  }
}
