// Runs that ended in another store (see RunStore.restore).
import type { RunStore, RunWithCounts } from '../run.ts'
import type { Connection } from './connection.ts'
import { insertEvent } from './event.ts'

/** The columns of a run, and what goes into each. */
const columns: Record<string, (run: RunWithCounts) => string | number | null> = {
  uuid: (run) => run.uuid,
  team: (run) => run.team,
  fence: (run) => run.fence,
  trigger: (run) => run.trigger,
  status: (run) => run.status,
  created_at: (run) => run.createdAt,
  started_at: (run) => run.startedAt,
  finished_at: (run) => run.finishedAt,
  error: (run) => run.error,
  superseded_by: (run) => run.supersededBy,
  discovered: (run) => run.pages.discovered,
  pending: (run) => run.pages.pending,
  fetched: (run) => run.pages.fetched,
  unchanged: (run) => run.pages.unchanged,
  added: (run) => run.pages.added,
  updated: (run) => run.pages.updated,
  skipped: (run) => run.pages.skipped,
  failed: (run) => run.pages.failed,
  removed: (run) => run.pages.removed,
}
const names = Object.keys(columns)

const insertion = `insert into run (project, events, ${names})
  select id, ?, ${names.map(() => '?')} from project where uuid = ? on conflict (uuid) do nothing returning id`

export function createRestoreRun(db: Connection): Pick<RunStore, 'restore'> {
  return {
    restore: async (run, events) => {
      db.write(() => {
        const values = Object.values(columns).map((read) => read(run))
        const row = db.get<{ id: number }>(insertion, events.length, ...values, run.project)
        if (row !== undefined) for (const event of events) insertEvent(db, row.id, event)
      })
    },
  }
}
