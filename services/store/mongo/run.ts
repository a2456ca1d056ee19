// Sync runs and their event logs. A run is live while it is the `liveRun` of its project's document.
import type { Filter } from 'mongodb'
import { withoutNulls } from '../../message.ts'
import type { PageRequest } from '../paging.ts'
import {
  type EventFilter,
  type LoggedEvent,
  type Run,
  type RunEnd,
  type RunEvent,
  type RunStore,
  runsWithEvents,
} from '../run.ts'
import type { Cleanup } from './cleanup.ts'
import type { MongoDb, MongoRow } from './connection.ts'
import { isOpen, type Journal, type ProjectRow, projectRows, readProject, type Write } from './journal.ts'
import { findByIds, insertMissing } from './row.ts'
import {
  type LiveRuns,
  newestFirst,
  openRun,
  type RunRow,
  readRun,
  runRows,
  toRunRow,
  toRunWithCounts,
} from './run-row.ts'

/** A document per run and event id. */
interface EventRow extends MongoRow, LoggedEvent {
  project: string
  run: string
}

const eventRows = (db: MongoDb) => db.collection<EventRow>('run_events')

const eventId = (run: string, id: string): string => `${run} ${id}`

function toEventRow(project: string, run: string, event: LoggedEvent): EventRow {
  return { _id: eventId(run, event.id), project, run, ...event }
}

const toEvent = ({ _id, project, run, seq, ...event }: EventRow): LoggedEvent => event

/** Creates rows for new events of the run, without duplicate ids, numbered after its last event. */
export async function newEvents(db: MongoDb, run: RunRow, events: RunEvent[]): Promise<MongoRow[]> {
  const byId = new Map(events.toReversed().map((event) => [event.id, event]))
  const ids = [...byId.keys()].map((id) => eventId(run._id, id))
  const known = new Set((await findByIds(eventRows(db), ids, { id: 1 })).map(({ id }) => id))
  return events
    .filter((event) => !known.has(event.id) && byId.get(event.id) === event)
    .map((event, at) => toEventRow(run.project, run._id, { ...event, sequence: run.events + at + 1 }))
}

/** Inserts events, and sets `fields` of the run and its number of events. Empty without events and fields. */
export function eventWrites(run: RunRow, insert: MongoRow[], fields: Partial<RunRow> = {}): Write[] {
  if (insert.length === 0 && Object.keys(fields).length === 0) return []
  return [
    { to: 'run_events', insert },
    { to: 'runs', set: [{ ...fields, _id: run._id, events: run.events + insert.length }] },
  ]
}

/** Excludes events above `run.events`, which belong to a batch in progress. */
function toFilter(run: RunRow, { after = 0, ...equal }: EventFilter): Filter<EventRow> {
  return {
    ...withoutNulls(equal),
    run: run._id,
    sequence: { $gt: after, $lte: run.events },
  } as Filter<EventRow>
}

type EventMethods = 'events' | 'eventsByUrl' | 'append' | 'appendLast'

export function createEvents(db: MongoDb, journal: Journal, live: LiveRuns): Pick<RunStore, EventMethods> {
  async function log(uuid: string, events: RunEvent[], mustBeLive: boolean): Promise<void> {
    const project = await live.project(uuid)
    if (project === null) return
    await journal.write(project, async ({ liveRun }) => {
      const run = mustBeLive && liveRun !== uuid ? null : await readRun(db, uuid)
      if (run === null) return { result: undefined }
      const insert = await newEvents(db, run, events)
      return { result: undefined, writes: eventWrites(run, insert) }
    })
  }

  return {
    events: async (uuid, filter, { offset, limit }) => {
      const run = await openRun(db, uuid)
      if (run === null) return { count: 0, rows: [] }
      const wanted = toFilter(run, filter)
      const rows = eventRows(db).find(wanted).sort({ sequence: 1 }).skip(offset).limit(limit)
      return {
        count: await eventRows(db).countDocuments(wanted),
        rows: (await rows.toArray()).map(toEvent),
      }
    },
    eventsByUrl: async (project, url, limit) => {
      if (!(await isOpen(db, project))) return []
      const newest = runRows(db).find({ project }).sort(newestFirst)
      const runs = await newest.limit(runsWithEvents).toArray()
      const ids = runs.flatMap(({ _id }) => [eventId(_id, `page:${url}`), eventId(_id, `removed:${url}`)])
      const rows = (await findByIds(eventRows(db), ids)).toSorted((a, b) => a.sequence - b.sequence)
      const inRuns = runs.flatMap(({ _id, events }) =>
        rows.filter(({ run, sequence }) => run === _id && sequence <= events),
      )
      return inRuns.slice(0, limit).map(toEvent)
    },
    append: (run, events) => log(run, events, true),
    appendLast: (run, event) => log(run, [event], false),
  }
}

const first = { offset: 0, limit: 1 }

/** The changed fields of a run that ends. */
function ending(uuid: string, end: RunEnd, supersededBy: string | null): MongoRow {
  const { status, at, error, sourcesFailed = 0 } = end
  return { _id: uuid, status, finishedAt: at, error, supersededBy, sourcesFailed, frontier: 'ended' }
}

/** A string that changes with the run's progress. */
function toPlace({ pages }: RunRow): string {
  return [pages.discovered, pages.pending, pages.fetched, pages.removed].join(' ')
}

export function createRuns(
  db: MongoDb,
  journal: Journal,
  live: LiveRuns,
  cleanup: Pick<Cleanup, 'schedule'>,
): RunStore {
  const runs = runRows(db)

  /**
   * Reads runs of the project, newest first. Null if the project is deleted. First applies a batch that a crashed writer left
   * linked: a run that is neither live nor ended was ended by such a batch, and there may never be another write to apply it.
   */
  async function readSettled(project: string, filter: Filter<RunRow>, { offset, limit }: PageRequest) {
    const read = () =>
      runs
        .find({ ...filter, project })
        .sort(newestFirst)
        .skip(offset)
        .limit(limit)
        .toArray()
    const [rows, open] = await Promise.all([read(), readProject(db, project)])
    if (open === null) return null
    const isSettled = rows.every(({ _id, finishedAt }) => finishedAt !== null || _id === open.liveRun)
    const settled = isSettled ? rows : (await journal.settled(project)) && (await read())
    return settled?.map(toRunWithCounts)
  }

  async function begin(run: Omit<Run, 'fence'>, project: ProjectRow) {
    const existing = await readRun(db, run.uuid)
    if (existing !== null) {
      const superseded = await runs.findOne({ supersededBy: run.uuid, project: run.project })
      return { result: { run: { ...run, fence: existing.fence }, superseded: superseded?._id ?? null } }
    }
    const begun = { ...run, fence: project.fence + 1 }
    const superseded = project.liveRun
    const cancelled = { status: 'cancelled', at: run.createdAt, error: null } as const
    return {
      result: { run: begun, superseded },
      writes: [
        { to: 'runs', insert: [toRunRow(begun)] },
        ...(superseded === null ? [] : [{ to: 'runs', set: [ending(superseded, cancelled, run.uuid)] }]),
      ],
      project: { fence: begun.fence, liveRun: run.uuid },
    }
  }

  return {
    ...createEvents(db, journal, live),
    begin: async (run) => {
      const begun = await journal.write(run.project, (project) => begin(run, project))
      cleanup.schedule()
      return begun
    },
    start: async (uuid, at) => {
      if ((await openRun(db, uuid)) === null) return false
      const queued = { _id: uuid, status: 'queued' } as const
      return (await runs.updateOne(queued, { $set: { status: 'running', startedAt: at } })).matchedCount > 0
    },
    finish: async (uuid, end) => {
      const project = await live.project(uuid)
      if (project === null) return false
      const writes = [{ to: 'runs', set: [ending(uuid, end, null)] }]
      const ended = await journal.write(project, async ({ liveRun }) =>
        liveRun === uuid ? { result: true, writes, project: { liveRun: null } } : { result: false },
      )
      cleanup.schedule()
      return ended ?? false
    },
    get: async (project, uuid) => (await readSettled(project, { _id: uuid }, first))?.[0] ?? null,
    latest: async (project) => (await readSettled(project, {}, first))?.[0] ?? null,
    list: async (project, page) => {
      const rows = await readSettled(project, {}, page)
      return rows ? { count: await runs.countDocuments({ project }), rows } : { count: 0, rows: [] }
    },
    live: async () => {
      const open = projectRows(db).find({ state: 'open', liveRun: { $gt: '' } })
      // If the start of a run was interrupted, its row may not be written yet.
      const settled = await Promise.all(
        (await open.toArray()).map((project) =>
          project.batch === null ? project : journal.settled(project._id),
        ),
      )
      const uuids = settled.flatMap((project) => project?.liveRun ?? [])
      const rows = await runs
        .find({ _id: { $in: uuids } })
        .sort({ createdAt: 1, _id: 1 })
        .toArray()
      return rows.map(toRunWithCounts).map(({ pages, ...run }) => run)
    },
    claim: async (uuid) => {
      const run = (await live.liveProject(uuid)) === null ? null : await readRun(db, uuid)
      if (run === null) return 0
      const place = toPlace(run)
      const claims = run.place === place ? (run.claims ?? 0) + 1 : 1
      await runs.updateOne({ _id: uuid }, { $set: { claims, place } })
      return claims
    },
    release: async (uuid) => void (await runs.updateOne({ _id: uuid }, { $set: { claims: 0 } })),
    holds: async ({ uuid, project, fence }) => {
      const row = await readProject(db, project)
      return row?.liveRun === uuid && row.fence === fence
    },
    restore: async ({ pages, ...run }, events) => {
      if (!(await isOpen(db, run.project)) || (await readRun(db, run.uuid)) !== null) return
      // Writes events first: they are not visible without the run, and an interrupted restore is repeated.
      const rows = events.map((event) => ({ ...toEventRow(run.project, run.uuid, event), seq: 0 }))
      await insertMissing(eventRows(db), rows)
      const row = toRunRow(run, { pages, events: events.at(-1)?.sequence ?? 0, frontier: 'cleared' })
      await insertMissing(runs, [{ ...row, seq: 0 }])
    },
  }
}
