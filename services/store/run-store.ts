// Sync runs and their event logs. A run is live while it is the `liveRun` of its project. Batches of the journal begin and end runs,
// and write their counts and events.
import { LRUCache } from 'lru-cache'
import { withoutNulls } from '../message.ts'
import { type Journal, type ProjectState, toSet, type Write } from './journal.ts'
import type { PageRequest } from './paging.ts'
import type { Filter, Rows, Table } from './rows.ts'
import {
  type EventFilter,
  type LoggedEvent,
  maxRuns,
  noPages,
  type PageCounts,
  type Run,
  type RunEnd,
  type RunEvent,
  type RunStore,
  type RunWithCounts,
  runsWithEvents,
} from './run.ts'

export interface RunRow extends RunWithCounts {
  /** Number of events. Events with a higher number belong to a batch that is not completely visible. */
  events: number
  /** `ended`: the frontier is to be deleted. */
  frontier: 'live' | 'ended' | 'cleared'
  /** Number of claims since the last progress or release, and the counts by which progress is detected. */
  claims: number
  claimedPages: PageCounts | null
}

interface EventRow extends LoggedEvent {
  /** The run and the id of the event. */
  uuid: string
  project: string
  run: string
}

export const runTable: Table<RunRow> = {
  name: 'run',
  fields: `uuid project fence:int trigger status createdAt startedAt? finishedAt? error? supersededBy? sourcesFailed:int pages:json
    events:int frontier claims:int claimedPages:json?`,
  indexes: ['project createdAt fence', 'frontier'],
}

export const eventTable: Table<EventRow> = {
  name: 'run_event',
  fields: 'uuid project run sequence:int id at level type url? sourceUuid? reason? message',
  indexes: ['run sequence'],
}

const newestRuns = '-createdAt -fence'

const eventId = (run: string, id: string): string => `${run} ${id}`

const toEventRow = (project: string, run: string, event: LoggedEvent): EventRow => {
  return { uuid: eventId(run, event.id), project, run, ...event }
}

const toEvent = ({ uuid, project, run, ...event }: EventRow): LoggedEvent => event

function toRow(run: Run, change: Partial<RunRow> = {}): RunRow {
  const begun = { pages: noPages, events: 0, frontier: 'live', claims: 0, claimedPages: null } as const
  return { ...run, ...begun, ...change }
}

function toRunWithCounts({ events, frontier, claims, claimedPages, ...run }: RunRow): RunWithCounts {
  return run
}

/** The changed fields of a run that ends. */
function ending(uuid: string, { status, at, error, sourcesFailed = 0 }: RunEnd, supersededBy: string | null) {
  return { uuid, status, finishedAt: at, error, supersededBy, sourcesFailed, frontier: 'ended' }
}

/** Excludes events above `run.events`. */
function toFilter(run: RunRow, { after = 0, ...equal }: EventFilter): Filter<EventRow> {
  const sequence = { $gt: after, $lte: run.events }
  return { ...withoutNulls(equal), run: run.uuid, sequence } as Filter<EventRow>
}

export type LiveRuns = ReturnType<typeof createLiveRuns>

/** The runs as other nouns see them. */
export function createLiveRuns(runs: Rows<RunRow>, events: Rows<EventRow>, journal: Journal) {
  /** By run. A run's project never changes. */
  const projects = new LRUCache<string, string>({
    max: 1_000,
    fetchMethod: async (run) => (await runs.one({ uuid: run }))?.project,
  })
  const find = async (uuid: string | null) => (uuid === null ? null : runs.one({ uuid }))

  /** UUID of the run's project; null if there is no such run. */
  const project = async (run: string): Promise<string | null> => (await projects.fetch(run)) ?? null

  return {
    find,
    project,
    /** The project of a live run, with all its batches visible. Null if the run has ended. */
    async liveProject(run: string): Promise<ProjectState | null> {
      const uuid = await project(run)
      const open = uuid === null ? null : await journal.settled(uuid)
      return open?.liveRun === run ? open : null
    },
    /**
     * Appends new events to a run, skips those whose id it has, and sets `fields` of the run. Empty without events and fields.
     */
    async logWrites(run: RunRow, logged: RunEvent[], fields: Partial<RunRow> = {}): Promise<Write[]> {
      const byId = new Map(logged.toReversed().map((event) => [event.id, event]))
      const ids = [...byId.keys()].map((id) => eventId(run.uuid, id))
      const rows = ids.length === 0 ? [] : await events.pick({ uuid: { $in: ids } }, ['id'])
      const known = new Set(rows.map(({ id }) => id))
      const insert = logged
        .filter((event) => !known.has(event.id) && byId.get(event.id) === event)
        .map((event, at) => toEventRow(run.project, run.uuid, { ...event, sequence: run.events + at + 1 }))
      const changed = { ...fields, ...(insert.length > 0 && { events: run.events + insert.length }) }
      if (Object.keys(changed).length === 0) return []
      return [{ to: eventTable, insert }, ...toSet(runTable, [{ uuid: run.uuid, ...changed }])]
    },
  }
}

/**
 * Returns a function that deletes old event logs, frontiers of ended runs, and then old runs. It stops before the next step if
 * `isStopped` is true.
 */
export function createRunCleanup(
  runs: Rows<RunRow>,
  events: Rows<EventRow>,
  listings: Rows<{ run: string }>,
) {
  return async (isStopped: () => boolean): Promise<void> => {
    const ended = await runs.all({ frontier: 'ended' })
    for (const [project, rows] of Map.groupBy(ended, (row) => row.project)) {
      const newest = (await runs.all({ project }, newestRuns)).map(({ uuid }) => uuid)
      if (isStopped()) return
      await events.clear({ run: { $in: newest.slice(runsWithEvents) } })
      for (const { uuid } of rows) {
        if (isStopped()) return
        await listings.clear({ run: uuid })
        await runs.set({ uuid, frontier: 'ended' }, { frontier: 'cleared' })
      }
      // Only cleared runs, since a batch may still write to others. The next cleanup deletes those.
      if (!isStopped()) await runs.delete({ uuid: { $in: newest.slice(maxRuns) }, frontier: 'cleared' })
    }
  }
}

const first = { offset: 0, limit: 1 }

/** `cleanUp` schedules the deletion of what ended runs leave. */
export function createRuns(
  runs: Rows<RunRow>,
  events: Rows<EventRow>,
  journal: Journal,
  live: LiveRuns,
  cleanUp: () => void,
): RunStore {
  /** Null if the run or its project does not exist. */
  async function openRun(uuid: string): Promise<RunRow | null> {
    const row = await live.find(uuid)
    return row !== null && (await journal.project(row.project)) ? row : null
  }

  /**
   * Reads runs of the project, newest first. Null if the project is deleted. First completes a batch of a crashed writer: a run
   * that is neither live nor ended was ended by such a batch, and there may never be another write to complete it.
   */
  async function readSettled(project: string, filter: Filter<RunRow>, page: PageRequest) {
    const read = async () => runs.all({ ...filter, project }, newestRuns, page)
    const [rows, open] = await Promise.all([read(), journal.project(project)])
    if (open === null) return null
    const isSettled = rows.every(({ uuid, finishedAt }) => finishedAt !== null || uuid === open.liveRun)
    const settled = isSettled ? rows : (await journal.settled(project)) && (await read())
    return settled?.map(toRunWithCounts)
  }

  async function begin(run: Omit<Run, 'fence'>, project: ProjectState) {
    const existing = await live.find(run.uuid)
    if (existing !== null) {
      const superseded = await runs.one({ supersededBy: run.uuid, project: run.project })
      return { result: { run: { ...run, fence: existing.fence }, superseded: superseded?.uuid ?? null } }
    }
    const begun = { ...run, fence: project.fence + 1 }
    const superseded = project.liveRun
    const cancelled = { status: 'cancelled', at: run.createdAt, error: null } as const
    const ended = superseded === null ? [] : [ending(superseded, cancelled, run.uuid)]
    return {
      result: { run: begun, superseded },
      writes: [{ to: runTable, insert: [toRow(begun)] }, ...toSet(runTable, ended)],
      project: { fence: begun.fence, liveRun: run.uuid },
    }
  }

  async function log(uuid: string, logged: RunEvent[], mustBeLive: boolean): Promise<void> {
    const project = await live.project(uuid)
    if (project === null) return
    await journal.write(project, async ({ liveRun }) => {
      const run = mustBeLive && liveRun !== uuid ? null : await live.find(uuid)
      return { result: undefined, writes: run === null ? [] : await live.logWrites(run, logged) }
    })
  }

  return {
    begin: async (run) => {
      const begun = await journal.write(run.project, (project) => begin(run, project))
      cleanUp()
      return begun
    },
    start: async (uuid, at) =>
      (await openRun(uuid)) !== null &&
      runs.set({ uuid, status: 'queued' }, { status: 'running', startedAt: at }),
    finish: async (uuid, end) => {
      const project = await live.project(uuid)
      if (project === null) return false
      const writes = toSet(runTable, [ending(uuid, end, null)])
      const ended = await journal.write(project, ({ liveRun }) =>
        liveRun === uuid ? { result: true, writes, project: { liveRun: null } } : { result: false },
      )
      cleanUp()
      return ended ?? false
    },
    get: async (project, uuid) => (await readSettled(project, { uuid }, first))?.[0] ?? null,
    latest: async (project) => (await readSettled(project, {}, first))?.[0] ?? null,
    list: async (project, page) => {
      const rows = await readSettled(project, {}, page)
      return rows ? { count: await runs.count({ project }), rows } : { count: 0, rows: [] }
    },
    live: async () => {
      const projects = await journal.liveProjects()
      const uuids = projects.flatMap(({ liveRun }) => liveRun ?? [])
      const rows = await runs.all({ uuid: { $in: uuids } }, 'createdAt uuid')
      return rows.map(toRunWithCounts).map(({ pages, ...run }) => run)
    },
    claim: async (uuid) => {
      const run = (await live.liveProject(uuid)) === null ? null : await live.find(uuid)
      if (run === null) return 0
      const { pages, claimedPages } = run
      const claims = JSON.stringify(pages) === JSON.stringify(claimedPages) ? run.claims + 1 : 1
      await runs.set({ uuid }, { claims, claimedPages: pages })
      return claims
    },
    release: async (uuid) => void (await runs.set({ uuid }, { claims: 0 })),
    holds: async ({ uuid, project, fence }) => {
      const open = await journal.project(project)
      return open?.liveRun === uuid && open.fence === fence
    },
    events: async (uuid, filter, { offset, limit }) => {
      const run = await openRun(uuid)
      if (run === null) return { count: 0, rows: [] }
      const { count, rows } = await events.page(toFilter(run, filter), 'sequence', { offset, limit })
      return { count, rows: rows.map(toEvent) }
    },
    eventsByUrl: async (project, url, limit) => {
      if ((await journal.project(project)) === null) return []
      const newest = await runs.all({ project }, newestRuns, { limit: runsWithEvents })
      const uuids = newest.flatMap(({ uuid }) => [
        eventId(uuid, `page:${url}`),
        eventId(uuid, `removed:${url}`),
      ])
      const rows = await events.all({ uuid: { $in: uuids } }, 'sequence')
      const inRuns = newest.flatMap(({ uuid, events }) =>
        rows.filter(({ run, sequence }) => run === uuid && sequence <= events),
      )
      return inRuns.slice(0, limit).map(toEvent)
    },
    append: (run, logged) => log(run, logged, true),
    appendLast: (run, event) => log(run, [event], false),
    restore: async ({ pages, ...run }, logged) => {
      if ((await journal.project(run.project)) === null || (await live.find(run.uuid)) !== null) return
      // Writes events first: they are not visible without the run, and an interrupted restore is repeated.
      await events.insertAll(logged.map((event) => toEventRow(run.project, run.uuid, event)))
      const change = { pages, events: logged.at(-1)?.sequence ?? 0, frontier: 'cleared' } as const
      await runs.insert(toRow(run, change))
    },
  }
}
