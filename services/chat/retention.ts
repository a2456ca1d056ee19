// Erases chats, searches and clicks that a project no longer wants to keep: `config.retention_days`.
import { openHourly } from '../hourly.ts'
import type { Store } from '../store/store.ts'

interface RetentionDeps {
  store: Pick<Store, 'projects' | 'chats' | 'analytics'>
  now(): Date
  /** Told of what went wrong; the next round tries again. */
  report(error: unknown): void
}

const dayMs = 24 * 60 * 60_000
/** Chats or events that one call of the store erases; closing waits for it. */
const maxBatch = 100

/** Erases at once and then every hour: a chat goes within an hour of its last day. */
export function openRetention(deps: RetentionDeps) {
  return openHourly(({ isClosed }) => eraseExpired(deps, isClosed), deps.report)
}

async function eraseExpired({ store, now }: RetentionDeps, isClosed: () => boolean): Promise<void> {
  for (const { uuid, config } of await store.projects.retaining()) {
    // As many days as a project may name lead back to before all dates.
    const before = new Date(Math.max(0, now().getTime() - config.retentionDays! * dayMs)).toISOString()
    for (const kept of [store.chats, store.analytics]) {
      let erased = maxBatch
      while (erased === maxBatch && !isClosed()) erased = await kept.expire(uuid, before, maxBatch)
    }
  }
}
