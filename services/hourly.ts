// Background work at the start and then hourly: counting past days, and deleting unused uploads.
import { setImmediate } from 'node:timers/promises'
import type { Store } from './store/store.ts'

export interface Round {
  isFirst: boolean
  /** Long work checks this between its steps. */
  isClosed(): boolean
}

const intervalMs = 60 * 60_000

/** Reports the error of a failed round, which the next round retries. Rounds never overlap. */
export function openHourly(work: (round: Round) => Promise<void>, report: (error: unknown) => void) {
  let closed = false
  let last = Promise.resolve()
  const begin = (isFirst: boolean) => {
    last = last.then(() => work({ isFirst, isClosed: () => closed })).catch(report)
  }
  begin(true)
  const timer = setInterval(() => begin(false), intervalMs).unref()

  return {
    /** Starts no further round. Resolves when the current one ends. */
    async close() {
      closed = true
      clearInterval(timer)
      await last
    },
  }
}

interface EndedDaysDeps {
  store: Pick<Store, 'projects' | 'analytics' | 'chats'>
  now(): Date
  /** Receives the error of a project. The round continues with the others, and the next one retries. */
  report(error: unknown): void
}

const dayMs = 86_400_000
/** Number of past days to count. */
const days = 7

/** Lets the store count past days in advance, so that analytics of a year respond quickly. */
export function openEndedDays({ store, now, report }: EndedDaysDeps) {
  return openHourly(async ({ isClosed }) => {
    const dayBefore = (count: number) => new Date(now().getTime() - count * dayMs).toISOString().slice(0, 10)
    const range = { from: dayBefore(days), to: dayBefore(1) }
    for (const { uuid } of await store.projects.all()) {
      if (isClosed()) return
      try {
        // Without measures, the store counts but returns nothing.
        await store.analytics.daily(uuid, range, [])
        await store.chats.daily(uuid, range, [])
      } catch (error) {
        report(error)
      }
      await setImmediate()
    }
  }, report)
}

interface BlobSweepDeps {
  store: Pick<Store, 'blobs'>
  /** Whether this is the only process that stores uploads. Then those from before the start have ended. */
  isAlone: boolean
  now(): Date
  report(error: unknown): void
}

/** No upload takes longer. */
const maxUploadMs = 24 * 60 * 60_000

/** Deletes uploaded files that no source uses. */
export function openBlobSweep({ store, isAlone, now, report }: BlobSweepDeps) {
  return openHourly(async ({ isFirst }) => {
    const age = isFirst && isAlone ? 0 : maxUploadMs
    await store.blobs.sweep(new Date(now().getTime() - age).toISOString())
  }, report)
}
