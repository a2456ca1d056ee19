// Sync runs with their counts and event logs. A run is live while its project's row names it.
import { endOfPrefix } from '../paging.ts'
import {
  type EventFilter,
  type LoggedEvent,
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
import { createTable, insertNew, readAll, readOne, readPage } from './table.ts'

const plain = 'uuid team fence trigger status createdAt startedAt finishedAt error supersededBy sourcesFailed'
const project = 'project.uuid'
const runs = createTable<Run>('run', { plain, elsewhere: { project } })
const countedRuns = createTable<RunWithCounts>('run', { plain, json: 'pages', elsewhere: { project } })
const noPages: PageCounts = {
  ...{ discovered: 0, pending: 0, fetched: 0, unchanged: 0, added: 0 },
  ...{ updated: 0, skipped: 0, failed: 0, removed: 0 },
}
const ofProject = 'from project join run on run.project = project.id where project.uuid = ?'
const newestFirst = 'run.created_at desc, run.fence desc'

const events = createTable<LoggedEvent>('run_event', {
  plain: 'sequence id at level type url sourceUuid reason message',
})

/** The row id of a live run; undefined when it has ended or is unknown. */
export function findLiveRun(db: Connection, uuid: string): number | undefined {
  return db.get<{ id: number }>(
    'select run.id from run join project on project.live_run = run.id where run.uuid = ?',
    uuid,
  )?.id
}

/**
 * The row id of a project that may be written under this fence: the fence of its live run, or null for a recrawl. Undefined
 * when the fence is void or the project is gone.
 */
export function findFencedProject(db: Connection, uuid: string, fence: number | null): number | undefined {
  return db.get<{ id: number }>(
    'select id from project where uuid = ?1 and (?2 is null or (fence = ?2 and live_run is not null))',
    uuid,
    fence,
  )?.id
}

/** Adds to the counts of a run, inside a transaction. */
export function addCounts(db: Connection, run: number, added: Partial<PageCounts>): void {
  const counts = JSON.parse(db.get<{ pages: string }>('select pages from run where id = ?', run)!.pages)
  for (const [name, count] of Object.entries(added)) counts[name] += count
  db.run('update run set pages = ? where id = ?', JSON.stringify(counts), run)
}

/** Inserts an event unless the run has one of this id. Returns the number of inserted rows. */
function insertEvent(db: Connection, run: number, event: LoggedEvent): number {
  return db.run(
    `insert into run_event (run, ${events.names}) values ($run, ${events.parameters}) on conflict (run, id) do nothing`,
    { ...events.values(event), run },
  )
}

/** Appends events that the run does not have yet, inside a transaction. */
export function logEvents(db: Connection, run: number, logged: RunEvent[]): void {
  if (logged.length === 0) return
  const last = 'select max(sequence) as sequence from run_event where run = ?'
  let sequence = db.get<{ sequence: number | null }>(last, run)!.sequence ?? 0
  for (const event of logged) sequence += insertEvent(db, run, { ...event, sequence: sequence + 1 })
}

/** Conditions on the events of a run, each with its value. */
function toConditions({ urlPrefix, ...filter }: EventFilter): [string, string | number][] {
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

export function createRuns(db: Connection, cleanup: Cleanup): RunStore {
  const findRun = (uuid: string) => db.get<{ id: number }>('select id from run where uuid = ?', uuid)?.id

  /** Ends a live run and voids its fence. */
  function end(run: number, { status, at, error, sourcesFailed = 0 }: RunEnd, by: string | null): void {
    db.run(
      'update run set status = ?, finished_at = ?, error = ?, superseded_by = ?, sources_failed = ? where id = ?',
      status,
      at,
      error,
      by,
      sourcesFailed,
      run,
    )
    db.run('update project set live_run = null where live_run = ?', run)
    cleanup.note('run', run)
  }

  function begin(run: Omit<Run, 'fence'>): { run: Run; superseded: string | null } | null {
    const known = readOne(db, runs, `${ofProject} and run.uuid = ?`, run.project, run.uuid)
    const current = db.get<{ id: number; fence: number; live: number | null }>(
      'select id, fence, live_run as live from project where uuid = ?',
      run.project,
    )
    if (current === undefined) return null
    const fence = known?.fence ?? current.fence + 1
    if (known === null) {
      if (current.live !== null)
        end(current.live, { status: 'cancelled', at: run.createdAt, error: null }, run.uuid)
      insertNew(db, countedRuns, { ...run, fence, pages: noPages })
      const live = findRun(run.uuid)!
      db.run('update project set fence = ?, live_run = ? where id = ?', fence, live, current.id)
    }
    const superseded = db.get<{ uuid: string }>(
      'select uuid from run where project = ? and superseded_by = ?',
      current.id,
      run.uuid,
    )
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
      return db.run(sql, at, uuid) > 0
    },
    finish: async (uuid, how) => {
      const ended = db.write(() => {
        const run = findLiveRun(db, uuid)
        if (run !== undefined) end(run, how, null)
        return run !== undefined
      })
      cleanup.schedule()
      return ended
    },
    get: async (project, uuid) => readOne(db, countedRuns, `${ofProject} and run.uuid = ?`, project, uuid),
    latest: async (project) =>
      readOne(db, countedRuns, `${ofProject} order by ${newestFirst} limit 1`, project),
    list: async (project, page) =>
      readPage(db, countedRuns, { from: ofProject, values: [project], order: newestFirst }, page),
    live: async () =>
      readAll(
        db,
        runs,
        'from project join run on run.id = project.live_run order by run.created_at, run.uuid',
      ),
    claim: async (uuid) =>
      db.get<{ claims: number }>(
        `update run set claims = case when claimed_pages = pages then claims + 1 else 1 end, claimed_pages = pages
         where uuid = ? and id in (select live_run from project) returning claims`,
        uuid,
      )?.claims ?? 0,
    release: async (uuid) => {
      db.run('update run set claims = 0 where uuid = ?', uuid)
    },
    holds: async ({ uuid, project, fence }) =>
      db.get(
        `select 1 from project join run on run.id = project.live_run
         where project.uuid = ? and run.uuid = ? and run.fence = ?`,
        project,
        uuid,
        fence,
      ) !== undefined,
    events: async (run, filter, page) => {
      const conditions = toConditions(filter)
      const from = [
        'from run_event where run = (select id from run where uuid = ?)',
        ...conditions.map(([condition]) => condition),
      ].join(' and ')
      const values = [run, ...conditions.map(([, value]) => value)]
      return readPage(db, events, { from, values, order: 'sequence' }, page)
    },
    eventsByUrl: async (project, url, limit) =>
      readAll(
        db,
        events,
        `from (select run.id, run.created_at, run.fence ${ofProject} order by ${newestFirst} limit ${runsWithEvents}) run
         join run_event on run_event.run = run.id and run_event.id in (?, ?)
         order by ${newestFirst}, sequence limit ?`,
        project,
        `page:${url}`,
        `removed:${url}`,
        limit,
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
        if (!insertNew(db, countedRuns, run)) return
        const id = findRun(run.uuid)!
        for (const event of logged) insertEvent(db, id, event)
      })
    },
  }
}
