// The event log of a run.
import type { LoggedEvent, RunEvent, RunStore } from '../run.ts'
import type { Connection } from './connection.ts'
import { liveRun } from './run-row.ts'

/** Answers 1, or 0 where the run has an event of this id. */
export function insertEvent(db: Connection, run: number, event: LoggedEvent): number {
  return db.run(
    `insert into run_event (run, sequence, id, at, level, type, url, source_uuid, reason, message)
     values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?) on conflict (run, id) do nothing`,
    run,
    event.sequence,
    event.id,
    event.at,
    event.level,
    event.type,
    event.url,
    event.sourceUuid,
    event.reason,
    event.message,
  )
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
    events: async (run, filter, { offset, limit }) => {
      const where = `run = (select id from run where uuid = ?1) and (?2 is null or level = ?2) and (?3 is null or type = ?3)`
      const values = [run, filter.level ?? null, filter.type ?? null]
      return {
        count: db.get<{ n: number }>(`select count(*) as n from run_event where ${where}`, ...values)!.n,
        rows: db
          .all<LoggedEvent>(
            `select sequence, id, at, level, type, url, source_uuid as sourceUuid, reason, message
           from run_event where ${where} order by sequence limit ?4 offset ?5`,
            ...values,
            limit,
            offset,
          )
          .map((row) => ({ ...row })),
      }
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
