// Work that nobody waits for, done at the start and then every hour: counting ended days and sweeping uploaded files.
import { setImmediate } from 'node:timers/promises'
import type { Store } from './store/store.ts'

export interface Round {
  isFirst: boolean
  /** Long work checks it between its steps. */
  isClosed(): boolean
}

const intervalMs = 60 * 60_000

/** A round that fails is reported; the next one tries again. Two rounds never run at once. */
export function openHourly(work: (round: Round) => Promise<void>, report: (error: unknown) => void) {
  let closed = false
  let last = Promise.resolve()
  const begin = (isFirst: boolean) => {
    last = last.then(() => work({ isFirst, isClosed: () => closed })).catch(report)
  }
  begin(true)
  const timer = setInterval(() => begin(false), intervalMs).unref()

  return {
    /** Begins no further round, and resolves when the current one has ended. */
    async close() {
      closed = true
      clearInterval(timer)
      await last
    },
  }
}

interface EndedDaysDeps {
  store: Pick<Store, 'teams' | 'projects' | 'analytics' | 'chats'>
  now(): Date
  /** Receives errors; a project that fails does not stop the others, and the next round tries again. */
  report(error: unknown): void
}

const dayMs = 86_400_000
/** Number of days before today that are counted. */
const days = 7
const atOnce = 100

/** Makes the store count ended days in advance, so that a request for a year does not wait for them. */
export function openEndedDays({ store, now, report }: EndedDaysDeps) {
  return openHourly(async ({ isClosed }) => {
    const dayBefore = (count: number) => new Date(now().getTime() - count * dayMs).toISOString().slice(0, 10)
    const range = { from: dayBefore(days), to: dayBefore(1) }
    for (const { uuid: team } of await store.teams.all()) {
      for (let offset = 0, more = true; more && !isClosed(); offset += atOnce) {
        const { rows } = await store.projects.list(team, null, { offset, limit: atOnce })
        for (const { uuid } of rows) {
          if (isClosed()) return
          try {
            // No measures: the store makes the counts and returns none.
            await store.analytics.daily(uuid, range, [])
            await store.chats.daily(uuid, range, [])
          } catch (error) {
            report(error)
          }
          await setImmediate()
        }
        more = rows.length === atOnce
      }
    }
  }, report)
}

interface BlobSweepDeps {
  store: Pick<Store, 'blobs'>
  /** Whether no other process takes uploads into the store: then uploads that began before the start are over. */
  isAlone: boolean
  now(): Date
  report(error: unknown): void
}

/** Uploads that are under way are younger. */
const maxUploadMs = 24 * 60 * 60_000

/** Deletes uploaded files that no source names. */
export function openBlobSweep({ store, isAlone, now, report }: BlobSweepDeps) {
  return openHourly(async ({ isFirst }) => {
    const age = isFirst && isAlone ? 0 : maxUploadMs
    await store.blobs.sweep(new Date(now().getTime() - age).toISOString())
  }, report)
}
