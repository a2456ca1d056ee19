// The event log of a run.
import type { Filter } from 'mongodb'
import { endOfPrefix } from '../paging.ts'
import { type RunEvent, type RunStore, runsWithEvents } from '../run.ts'
import type { MongoDb, MongoRow } from './connection.ts'
import { type EventRow, eventIdOf, eventRows, toEvent, toEventRow } from './event-row.ts'
import type { Journal } from './journal.ts'
import { openProject } from './project-row.ts'
import { type LiveRuns, openRun, type RunRow, readRun, runRows } from './run-row.ts'

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
): Pick<RunStore, 'events' | 'eventsByUrl' | 'append' | 'appendLast'> {
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
    events: async (uuid, { urlPrefix, after = 0, ...equal }, { offset, limit }) => {
      const run = await openRun(db, uuid)
      if (run === null || run.log !== 'kept') return { count: 0, rows: [] }
      // What is numbered higher belongs to a batch that is being applied.
      const filter: Filter<EventRow> = {
        ...equal,
        run: uuid,
        ...(urlPrefix !== undefined && { url: { $gte: urlPrefix, $lt: endOfPrefix(urlPrefix) } }),
        sequence: { $gt: after, $lte: run.events },
      } as Filter<EventRow>
      const rows = eventRows(db).find(filter).sort({ sequence: 1 }).skip(offset).limit(limit)
      const whole = Object.keys(filter).length === 2 && after === 0
      return {
        count: whole ? run.events : await eventRows(db).countDocuments(filter),
        rows: (await rows.toArray()).map(toEvent),
      }
    },
    eventsByUrl: async (project, url, limit) => {
      if (!(await openProject(db, project))) return []
      const newest = runRows(db).find({ project, log: 'kept' }).sort({ createdAt: -1, fence: -1 })
      const runs = await newest.limit(runsWithEvents).toArray()
      const ids = runs.flatMap(({ _id }) => [eventIdOf(_id, `page:${url}`), eventIdOf(_id, `removed:${url}`)])
      const rows = await eventRows(db)
        .find({ _id: { $in: ids } })
        .toArray()
      return runs
        .flatMap(({ _id, events }) =>
          rows
            .filter(({ run, sequence }) => run === _id && sequence <= events)
            .toSorted((a, b) => a.sequence - b.sequence),
        )
        .slice(0, limit)
        .map(toEvent)
    },
    append: (run, events) => log(run, events, 'be live'),
    appendLast: (run, event) => log(run, [event], 'be there'),
  }
}
