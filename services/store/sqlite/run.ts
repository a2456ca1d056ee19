// Sync runs with their counts and event logs. A run is live while it is the `live_run` of its project.
import {
  type LoggedEvent,
  noPages,
  type PageCounts,
  type Run,
  type RunEnd,
  type RunEvent,
  type RunStore,
  type RunWithCounts,
  runsWithEvents,
} from '../run.ts'
import type { Cleanup } from './cleanup.ts'
import type { Connection } from './connection.ts'
import { createRows, createTable } from './table.ts'

const runTable = createTable<RunWithCounts>(
  {
    name: 'run',
    fields: `uuid fence:int trigger status createdAt startedAt? finishedAt? error? supersededBy? pages:json
      sourcesFailed:int`,
    isOfProject: true,
    indexes: ['project createdAt fence'],
  },
  {
    extra: [
      'id integer primary key autoincrement',
      'claims integer not null default 0',
      'claimed_pages text',
    ],
  },
)
const eventTable = createTable<LoggedEvent>(
  { name: 'run_event', fields: 'sequence:int id at level type url? sourceUuid? reason? message' },
  { extra: ['run integer not null', 'primary key (run, sequence)', 'unique (run, id)'], withoutRowid: true },
)

export const runSchema = `
-- pages: the counts; they change in the transaction that changes the frontier.
-- claims: number of claims since the counts last changed. claimed_pages: the counts at the last claim.
${runTable.sql}
${eventTable.sql}
`

const newestFirst = '-createdAt -fence'

/** The row id of a live run; undefined if it has ended or is unknown. */
export function findLiveRun(db: Connection, uuid: string): number | undefined {
  const sql = 'select run.id from run join project on project.live_run = run.id where run.uuid = ?'
  return db.get<{ id: number }>(sql, [uuid])?.id
}

/**
 * The row id of a project if writes with the fence are allowed: that of its live run, or null for a recrawl. Undefined if the
 * fence is invalid or the project is deleted.
 */
export function findFencedProject(db: Connection, uuid: string, fence: number | null): number | undefined {
  return db.get<{ id: number }>(
    'select id from project where uuid = ?1 and (?2 is null or (fence = ?2 and live_run is not null))',
    [uuid, fence],
  )?.id
}

/** Adds to the counts of a run. Call it in a transaction. */
export function addCounts(db: Connection, run: number, added: Partial<PageCounts>): void {
  const counts = JSON.parse(db.get<{ pages: string }>('select pages from run where id = ?', [run])!.pages)
  for (const [name, count] of Object.entries(added)) counts[name] += count
  db.run('update run set pages = ? where id = ?', [JSON.stringify(counts), run])
}

/** Inserts an event unless the run has one with its id. Returns the number of inserted rows. */
function insertEvent(db: Connection, run: number, event: LoggedEvent): number {
  const { names, parameters, values } = eventTable
  const sql = `insert into run_event (run, ${names}) values ($run, ${parameters}) on conflict (run, id) do nothing`
  return db.run(sql, { ...values(event), run })
}

/** Appends new events to a run. Call it in a transaction. */
export function logEvents(db: Connection, run: number, events: RunEvent[]): void {
  if (events.length === 0) return
  const last = 'select max(sequence) as sequence from run_event where run = ?'
  let sequence = db.get<{ sequence: number | null }>(last, [run])!.sequence ?? 0
  for (const event of events) sequence += insertEvent(db, run, { ...event, sequence: sequence + 1 })
}

export function createRuns(db: Connection, cleanup: Cleanup): RunStore {
  const runs = createRows(db, runTable)
  const events = createRows(db, eventTable)
  const findRun = (uuid: string) => db.get<{ id: number }>('select id from run where uuid = ?', [uuid])?.id

  /** Ends a live run and invalidates its fence. */
  function end(run: number, { status, at, error, sourcesFailed = 0 }: RunEnd, by: string | null): void {
    db.run(
      'update run set status = ?, finished_at = ?, error = ?, superseded_by = ?, sources_failed = ? where id = ?',
      [status, at, error, by, sourcesFailed, run],
    )
    db.run('update project set live_run = null where live_run = ?', [run])
    cleanup.note('run', run)
  }

  function begin(run: Omit<Run, 'fence'>): { run: Run; superseded: string | null } | null {
    const existing = runs.one({ project: run.project, uuid: run.uuid })
    const project = db.get<{ id: number; fence: number; live: number | null }>(
      'select id, fence, live_run as live from project where uuid = ?',
      [run.project],
    )
    if (project === undefined) return null
    const fence = existing?.fence ?? project.fence + 1
    if (existing === null) {
      if (project.live !== null)
        end(project.live, { status: 'cancelled', at: run.createdAt, error: null }, run.uuid)
      runs.insert({ ...run, fence, pages: noPages })
      db.run('update project set fence = ?, live_run = ? where id = ?', [
        fence,
        findRun(run.uuid)!,
        project.id,
      ])
    }
    const superseded = runs.one({ project: run.project, supersededBy: run.uuid })
    return { run: { ...run, fence }, superseded: superseded?.uuid ?? null }
  }

  return {
    begin: async (run) => {
      const begun = db.write(() => begin(run))
      cleanup.schedule()
      return begun
    },
    start: async (uuid, at) => {
      const sql = "update run set status = 'running', started_at = ? where uuid = ? and status = 'queued'"
      return db.run(sql, [at, uuid]) > 0
    },
    finish: async (uuid, how) => {
      const isEnded = db.write(() => {
        const run = findLiveRun(db, uuid)
        if (run !== undefined) end(run, how, null)
        return run !== undefined
      })
      cleanup.schedule()
      return isEnded
    },
    get: async (project, uuid) => runs.one({ project, uuid }),
    latest: async (project) => runs.all({ project }, newestFirst, { limit: 1 })[0] ?? null,
    list: async (project, page) => runs.page({ project }, newestFirst, page),
    live: async () => {
      const rows = runs.select('where run.id = project.live_run order by run.created_at, run.uuid')
      return rows.map(({ pages, ...run }) => run)
    },
    claim: async (uuid) =>
      db.get<{ claims: number }>(
        `update run set claims = case when claimed_pages = pages then claims + 1 else 1 end, claimed_pages = pages
         where uuid = ? and id in (select live_run from project) returning claims`,
        [uuid],
      )?.claims ?? 0,
    release: async (uuid) => void db.run('update run set claims = 0 where uuid = ?', [uuid]),
    holds: async ({ uuid, project, fence }) =>
      db.get(
        `select 1 from project join run on run.id = project.live_run
         where project.uuid = ? and run.uuid = ? and run.fence = ?`,
        [project, uuid, fence],
      ) !== undefined,
    events: async (run, { after = 0, ...filter }, page) =>
      events.page({ run: findRun(run) ?? null, sequence: { $gt: after }, ...filter }, 'sequence', page),
    eventsByUrl: async (project, url, limit) =>
      events.select(
        `join (select run.* ${runTable.from} where project.uuid = ?
             order by run.created_at desc, run.fence desc limit ${runsWithEvents}) run
           on run_event.run = run.id and run_event.id in (?, ?)
         order by run.created_at desc, run.fence desc, sequence limit ?`,
        [project, `page:${url}`, `removed:${url}`, limit],
      ),
    append: async (uuid, logged) => {
      db.write(() => {
        const run = findLiveRun(db, uuid)
        if (run !== undefined) logEvents(db, run, logged)
      })
    },
    appendLast: async (uuid, event) => {
      db.write(() => {
        const run = findRun(uuid)
        if (run !== undefined) logEvents(db, run, [event])
      })
    },
    restore: async (run, logged) => {
      db.write(() => {
        if (!runs.insert(run)) return
        const id = findRun(run.uuid)!
        for (const event of logged) insertEvent(db, id, event)
      })
    },
  }
}
