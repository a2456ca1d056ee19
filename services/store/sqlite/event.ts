// The event log of a run.
import { endOfPrefix } from '../paging.ts'
import { type EventFilter, type LoggedEvent, type RunEvent, type RunStore, runsWithEvents } from '../run.ts'
import type { Connection } from './connection.ts'
import { liveRun } from './run-row.ts'
import { createTable, readPage, type Values } from './table.ts'

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

/** Conditions on the events of a run, each with its value. */
function conditionsOf({ urlPrefix, ...filter }: EventFilter): [string, string | number][] {
  const { level, type, url, reason, sourceUuid, after } = filter
  const conditions: [string, string | number | undefined][] = [
    ['sequence > ?', after],
    ['level = ?', level],
    ['type = ?', type],
    ['url = ?', url],
    ['url >= ?', urlPrefix],
    ['url < ?', urlPrefix && endOfPrefix(urlPrefix)],
    ['reason = ?', reason],
    ['source_uuid = ?', sourceUuid],
  ]
  return conditions.filter((one): one is [string, string | number] => one[1] !== undefined)
}

export function createEvents(
  db: Connection,
): Pick<RunStore, 'events' | 'eventsByUrl' | 'append' | 'appendLast'> {
  return {
    events: async (run, filter, page) => {
      const conditions = conditionsOf(filter)
      const from = [
        'from run_event where run = (select id from run where uuid = ?)',
        ...conditions.map(([condition]) => condition),
      ].join(' and ')
      const values = [run, ...conditions.map(([, value]) => value)]
      return readPage(db, stored, { from, values, order: 'sequence' }, page)
    },
    eventsByUrl: async (project, url, limit) =>
      db
        .all<Values<LoggedEvent>>(
          `select ${stored.columns} from (
             select run.id, run.created_at, run.fence from project join run on run.project = project.id
             where project.uuid = ? order by run.created_at desc, run.fence desc limit ${runsWithEvents}
           ) newest join run_event on run_event.run = newest.id and run_event.id in (?, ?)
           order by newest.created_at desc, newest.fence desc, sequence limit ?`,
          project,
          `page:${url}`,
          `removed:${url}`,
          limit,
        )
        .map(stored.toRow),
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
