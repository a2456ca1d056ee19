// The event log of a run.
import type { Filter } from 'mongodb'
import type { RunEvent, RunStore } from '../run.ts'
import type { MongoDb, MongoRow } from './connection.ts'
import { type EventRow, eventIdOf, eventRows, toEvent, toEventRow } from './event-row.ts'
import type { Journal } from './journal.ts'
import { type LiveRuns, openRun, type RunRow, readRun } from './run-row.ts'

/** Rows for the events that the run does not have yet, numbered on from its last, each id once. */
export async function newEvents(db: MongoDb, run: RunRow, events: RunEvent[]): Promise<MongoRow[]> {
  if (events.length === 0) return []
  const byId = new Map<string, RunEvent>()
  for (const event of events) if (!byId.has(event.id)) byId.set(event.id, event)
  const ids = [...byId.keys()].map((id) => eventIdOf(run._id, id))
  const known = await eventRows(db)
    .find({ _id: { $in: ids } }, { projection: { id: 1 } })
    .toArray()
  for (const { id } of known) byId.delete(id)
  return [...byId.values()].map((event, at) =>
    toEventRow(run.project, run._id, { ...event, sequence: run.events + at + 1 }),
  )
}

export function createEvents(
  db: MongoDb,
  journal: Journal,
  live: LiveRuns,
): Pick<RunStore, 'events' | 'append' | 'appendLast'> {
  async function log(uuid: string, events: RunEvent[], must: 'be live' | 'be there'): Promise<void> {
    const project = await live.projectOf(uuid)
    if (project === null) return
    await journal.write(project, async ({ liveRun }) => {
      const run = await readRun(db, uuid)
      if (run === null || (must === 'be live' && liveRun !== uuid)) return { result: undefined }
      const rows = await newEvents(db, run, events)
      if (rows.length === 0) return { result: undefined }
      return {
        result: undefined,
        writes: [
          { to: 'run_events', insert: rows },
          { to: 'runs', set: [{ _id: uuid, events: run.events + rows.length }] },
        ],
      }
    })
  }

  return {
    events: async (uuid, { level, type, url }, { offset, limit }) => {
      const run = await openRun(db, uuid)
      if (run === null || run.log !== 'kept') return { count: 0, rows: [] }
      // What is numbered higher belongs to a batch that is being applied.
      const filter: Filter<EventRow> = {
        run: uuid,
        ...(level !== undefined && { level }),
        ...(type !== undefined && { type }),
        ...(url !== undefined && { url }),
        sequence: { $lte: run.events },
      } as Filter<EventRow>
      const rows = eventRows(db).find(filter).sort({ sequence: 1 }).skip(offset).limit(limit)
      const whole = level === undefined && type === undefined && url === undefined
      return {
        count: whole ? run.events : await eventRows(db).countDocuments(filter),
        rows: (await rows.toArray()).map(toEvent),
      }
    },
    append: (run, events) => log(run, events, 'be live'),
    appendLast: (run, event) => log(run, [event], 'be there'),
  }
}
