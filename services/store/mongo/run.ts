// Sync runs (decisions.md section 5, "Sync run"). A run is live while its project's document names it.
import type { Run, RunStatus, RunStore } from '../run.ts'
import type { MongoDb, MongoRow } from './connection.ts'
import { createEvents } from './event.ts'
import { type Journal, type JournalRow, type OpenProject, toOpenProject } from './journal.ts'
import { openProject } from './project.ts'
import type { RunRemains } from './run-remains.ts'
import { createRestoreRun } from './run-restore.ts'
import { type LiveRuns, openRun, readRun, runRows, toRun, toRunRow, toRunWithCounts } from './run-row.ts'

const newestFirst = { createdAt: -1, fence: -1 } as const

/** What changes in a run that ends. */
const ending = (
  uuid: string,
  end: { status: RunStatus; at: string; error: string | null },
  by: string | null,
): MongoRow => ({
  _id: uuid,
  status: end.status,
  finishedAt: end.at,
  error: end.error,
  supersededBy: by,
  frontier: 'ended',
})

export const createRuns = (db: MongoDb, journal: Journal, live: LiveRuns, remains: RunRemains): RunStore => {
  const runs = runRows(db)
  const projects = db.collection<JournalRow>('projects')

  const begin = async (run: Omit<Run, 'fence'>, project: OpenProject) => {
    const known = await readRun(db, run.uuid)
    if (known !== null)
      return { result: { run: { ...run, fence: known.fence }, superseded: known.supersedes } }
    const begun = { ...run, fence: project.fence + 1 }
    const superseded = project.liveRun
    const cancelled = { status: 'cancelled', at: run.createdAt, error: null } as const
    return {
      result: { run: begun, superseded },
      writes: [
        { to: 'runs', insert: [toRunRow(begun, { supersedes: superseded })] },
        ...(superseded === null ? [] : [{ to: 'runs', set: [ending(superseded, cancelled, run.uuid)] }]),
      ],
      project: { fence: begun.fence, liveRun: run.uuid },
    }
  }

  return {
    ...createEvents(db, journal, live),
    ...createRestoreRun(db),
    begin: async (run) => {
      const begun = await journal.write(run.project, (project) => begin(run, project))
      remains.clearSoon()
      return begun
    },
    start: async (uuid, at) => {
      if ((await openRun(db, uuid)) === null) return false
      const queued = { _id: uuid, status: 'queued' } as const
      return (await runs.updateOne(queued, { $set: { status: 'running', startedAt: at } })).matchedCount > 0
    },
    finish: async (uuid, end) => {
      const project = await live.projectOf(uuid)
      if (project === null) return false
      const ended = await journal.write(project, async ({ liveRun }) =>
        liveRun === uuid
          ? {
              result: true,
              writes: [{ to: 'runs', set: [ending(uuid, end, null)] }],
              project: { liveRun: null },
            }
          : { result: false },
      )
      remains.clearSoon()
      return ended ?? false
    },
    get: async (project, uuid) => {
      const [row, open] = await Promise.all([readRun(db, uuid), openProject(db, project)])
      return open && row?.project === project ? toRunWithCounts(row) : null
    },
    latest: async (project) => {
      if (!(await openProject(db, project))) return null
      const [row] = await runs.find({ project }).sort(newestFirst).limit(1).toArray()
      return row === undefined ? null : toRunWithCounts(row)
    },
    list: async (project, { offset, limit }) => {
      if (!(await openProject(db, project))) return { count: 0, rows: [] }
      const rows = runs.find({ project }).sort(newestFirst).skip(offset).limit(limit)
      return {
        count: await runs.countDocuments({ project }),
        rows: (await rows.toArray()).map(toRunWithCounts),
      }
    },
    live: async () => {
      const open = await projects.find({ state: 'open', liveRun: { $gt: '' } }).toArray()
      // A run whose beginning was cut short is there, but not written yet.
      const settled = await Promise.all(
        open.map((row) => (row.batch == null ? toOpenProject(row) : journal.settled(row._id))),
      )
      const uuids = settled.flatMap((project) => project?.liveRun ?? [])
      const rows = await runs
        .find({ _id: { $in: uuids } })
        .sort({ createdAt: 1, _id: 1 })
        .toArray()
      return rows.map(toRun)
    },
    holds: async ({ uuid, project, fence }) => {
      const row = await projects.findOne({ _id: project })
      return row?.state === 'open' && row.liveRun === uuid && row.fence === fence
    },
  }
}
