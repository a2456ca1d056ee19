// The event log of a run.
import type { LoggedEvent, RunEvent, RunStore } from '../run.ts'
import type { Connection } from './connection.ts'
import { liveRun } from './run-row.ts'
import { createTable, readPage } from './table.ts'

const stored = createTable<LoggedEvent>('run_event', {
  plain: 'sequence id at level type url sourceUuid reason message',
})
const insertion = `insert into run_event (run, ${stored.names}) values ($run, ${stored.parameters}) on conflict (run, id) do nothing`

/** Answers 1, or 0 where the run has an event of this id. */
export function insertEvent(db: Connection, run: number, event: LoggedEvent): number {
  return db.run(insertion, { ...stored.values(event), run })
}

/** Writes events that the run does not have yet, numbered on from its last; inside a transaction. */
export function logEvents(db: Connection, run: number, events: RunEvent[]): void {
  if (events.length === 0) return
  const before = db.get<{ events: number }>('select events from run where id = ?', run)!.events
  let sequence = before
  for (const event of events) sequence += insertEvent(db, run, { ...event, sequence: sequence + 1 })
  if (sequence > before) db.run('update run set events = ? where id = ?', sequence, run)
}

export function createEvents(db: Connection): Pick<RunStore, 'events' | 'append' | 'appendLast'> {
  return {
    events: async (run, filter, page) => {
      const from = `from run_event
        where run = (select id from run where uuid = ?1) and (?2 is null or level = ?2) and (?3 is null or type = ?3)
          and (?4 is null or url = ?4)`
      const values = [run, filter.level ?? null, filter.type ?? null, filter.url ?? null]
      return readPage(db, stored, { from, values, order: 'sequence' }, page)
    },
    append: async (run, events) => {
      db.write(() => {
        const live = liveRun(db, run)
        if (live !== undefined) logEvents(db, live, events)
      })
    },
    appendLast: async (run, event) => {
      db.write(() => {
        const row = db.get<{ id: number }>('select id from run where uuid = ?', run)
        if (row !== undefined) logEvents(db, row.id, [event])
      })
    },
  }
}
