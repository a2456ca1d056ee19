// Sync runs. A run is live while its project's row names it.
import type { Run, RunEnd, RunStore, RunWithCounts } from '../run.ts'
import type { Cleanup } from './cleanup.ts'
import type { Connection } from './connection.ts'
import { createEvents } from './event.ts'
import { createRestoreRun } from './run-restore.ts'
import { countedRuns, liveRun, runs } from './run-row.ts'
import { readPage, type Values } from './table.ts'

const ofProject = 'from project join run on run.project = project.id where project.uuid = ?'
const selection = `select ${countedRuns.columns} ${ofProject}`
const newestFirst = 'run.created_at desc, run.fence desc'
/** Where a run stands: its progress changes it. */
const place = "discovered || ' ' || pending || ' ' || fetched || ' ' || removed"

export function createRuns(db: Connection, cleanup: Cleanup): RunStore {
  /** Ends a live run: its fence is void from here on. */
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
    const known = db.get<{ fence: number; supersedes: string | null }>(
      'select fence, supersedes from run where uuid = ?',
      run.uuid,
    )
    if (known !== undefined) return { run: { ...run, fence: known.fence }, superseded: known.supersedes }
    const project = db.get<{ id: number; fence: number; live: number | null; superseded: string | null }>(
      `select project.id, project.fence + 1 as fence, project.live_run as live, run.uuid as superseded
       from project left join run on run.id = project.live_run where project.uuid = ?`,
      run.project,
    )
    if (project === undefined) return null
    if (project.live !== null)
      end(project.live, { status: 'cancelled', at: run.createdAt, error: null }, run.uuid)
    const row = db.get<{ id: number }>(
      `insert into run (project, supersedes, ${runs.names}) values ($id, $supersedes, ${runs.parameters}) returning id`,
      { ...runs.values({ ...run, fence: project.fence }), id: project.id, supersedes: project.superseded },
    )!
    db.run('update project set fence = ?, live_run = ? where id = ?', project.fence, row.id, project.id)
    return { run: { ...run, fence: project.fence }, superseded: project.superseded }
  }

  return {
    ...createEvents(db),
    ...createRestoreRun(db),
    begin: async (run) => {
      const begun = db.write(() => begin(run))
      cleanup.schedule()
      return begun
    },
    start: async (uuid, at) =>
      db.run(
        "update run set status = 'running', started_at = ? where uuid = ? and status = 'queued'",
        at,
        uuid,
      ) > 0,
    finish: async (uuid, how) => {
      const ended = db.write(() => {
        const run = liveRun(db, uuid)
        if (run !== undefined) end(run, how, null)
        return run !== undefined
      })
      cleanup.schedule()
      return ended
    },
    get: async (project, uuid) =>
      countedRuns.toRowOrNull(db.get<Values<RunWithCounts>>(`${selection} and run.uuid = ?`, project, uuid)),
    latest: async (project) =>
      countedRuns.toRowOrNull(
        db.get<Values<RunWithCounts>>(`${selection} order by ${newestFirst} limit 1`, project),
      ),
    list: async (project, page) =>
      readPage(db, countedRuns, { from: ofProject, values: [project], order: newestFirst }, page),
    live: async () =>
      db
        .all<Values<Run>>(
          `select ${runs.columns} from project join run on run.id = project.live_run
           order by run.created_at, run.uuid`,
        )
        .map(runs.toRow),
    claim: async (uuid) =>
      db.get<{ times: number }>(
        `update run set place = ${place}, taken_up = case when place = ${place} then taken_up + 1 else 1 end
         where uuid = ? and id in (select live_run from project) returning taken_up as times`,
        uuid,
      )?.times ?? 0,
    release: async (uuid) => {
      db.run('update run set taken_up = 0 where uuid = ?', uuid)
    },
    holds: async ({ uuid, project, fence }) =>
      db.get(
        `select 1 from project join run on run.id = project.live_run
         where project.uuid = ? and run.uuid = ? and run.fence = ?`,
        project,
        uuid,
        fence,
      ) !== undefined,
  }
}
