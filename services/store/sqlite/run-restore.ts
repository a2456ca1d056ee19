// Runs that ended in another store (see RunStore.restore).
import type { RunStore } from '../run.ts'
import type { Connection } from './connection.ts'
import { insertEvent } from './event.ts'
import { countedRuns, countNames, countParameters } from './run-row.ts'

const insertion = `insert into run (project, events, ${countedRuns.names}, ${countNames})
  select id, $events, ${countedRuns.parameters}, ${countParameters} from project where uuid = $project
  on conflict (uuid) do nothing returning id`

export function createRestoreRun(db: Connection): Pick<RunStore, 'restore'> {
  return {
    restore: async (run, events) => {
      db.write(() => {
        const row = db.get<{ id: number }>(insertion, { ...countedRuns.values(run), events: events.length })
        if (row !== undefined) for (const event of events) insertEvent(db, row.id, event)
      })
    },
  }
}
