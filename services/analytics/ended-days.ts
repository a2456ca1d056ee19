// Makes the store count ended days in advance, so that a request for a year does not wait for them.
import { setImmediate } from 'node:timers/promises'
import { openHourly } from '../hourly.ts'
import type { Store } from '../store/store.ts'

interface EndedDaysDeps {
  store: Pick<Store, 'teams' | 'projects' | 'analytics' | 'chats'>
  now(): Date
  /** Receives errors; a project that fails does not stop the others, and the next round tries again. */
  report(error: unknown): void
}

const dayMs = 86_400_000
/** Days before today that are looked at, however long no process ran. */
const days = 7
const atOnce = 100

/** Every hour: a day is counted within an hour of its end, and again after a change. */
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
