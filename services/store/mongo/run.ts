// Sync runs. A run is live while its project's document names it.
import type { Run, RunEnd, RunStore } from '../run.ts'
import type { MongoDb, MongoRow } from './connection.ts'
import { createEvents } from './event.ts'
import { type Journal, type JournalRow, type OpenProject, toOpenProject } from './journal.ts'
import type { RunCleanup } from './run-cleanup.ts'
import { createRestoreRun } from './run-restore.ts'
import {
  type LiveRuns,
  openRun,
  type RunRow,
  readRun,
  runRows,
  toRun,
  toRunRow,
  toRunWithCounts,
} from './run-row.ts'

const newestFirst = { createdAt: -1, fence: -1 } as const

/** What changes in a run that ends. */
function ending(uuid: string, end: RunEnd, by: string | null): MongoRow {
  return {
    _id: uuid,
    status: end.status,
    finishedAt: end.at,
    error: end.error,
    supersededBy: by,
    sourcesFailed: end.sourcesFailed ?? 0,
    frontier: 'ended',
  }
}

/** Where a run stands: its progress changes it. */
function placeOf({ pages }: RunRow): string {
  return [pages.discovered, pages.pending, pages.fetched, pages.removed].join(' ')
}

export function createRuns(db: MongoDb, journal: Journal, live: LiveRuns, cleanup: RunCleanup): RunStore {
  const runs = runRows(db)
  const projects = db.collection<JournalRow>('projects')

  /**
   * Runs of the project as they are; null when it is gone. One that is not the live one and has not ended either was ended by
   * a batch whose writer was killed before it came to the run's row: nobody else may ever write to the project again.
   */
  async function readSettled(uuid: string, read: () => Promise<RunRow[]>): Promise<RunRow[] | null> {
    const [rows, project] = await Promise.all([
      read(),
      projects.findOne({ _id: uuid }, { projection: { state: 1, liveRun: 1 } }),
    ])
    if (project?.state !== 'open') return null
    if (rows.every(({ _id, finishedAt }) => finishedAt !== null || _id === project.liveRun)) return rows
    return (await journal.settled(uuid)) === null ? null : read()
  }

  async function begin(run: Omit<Run, 'fence'>, project: OpenProject) {
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
      cleanup.schedule()
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
      cleanup.schedule()
      return ended ?? false
    },
    get: async (project, uuid) => {
      const rows = await readSettled(project, () => runs.find({ _id: uuid, project }).toArray())
      return rows?.map(toRunWithCounts)[0] ?? null
    },
    latest: async (project) => {
      const rows = await readSettled(project, () =>
        runs.find({ project }).sort(newestFirst).limit(1).toArray(),
      )
      return rows?.map(toRunWithCounts)[0] ?? null
    },
    list: async (project, { offset, limit }) => {
      const rows = await readSettled(project, () =>
        runs.find({ project }).sort(newestFirst).skip(offset).limit(limit).toArray(),
      )
      if (rows === null) return { count: 0, rows: [] }
      return { count: await runs.countDocuments({ project }), rows: rows.map(toRunWithCounts) }
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
    claim: async (uuid) => {
      const run = (await live.projectOfLive(uuid)) === null ? null : await readRun(db, uuid)
      if (run === null) return 0
      const place = placeOf(run)
      const claims = run.place === place ? (run.claims ?? 0) + 1 : 1
      await runs.updateOne({ _id: uuid }, { $set: { claims, place } })
      return claims
    },
    release: async (uuid) => {
      await runs.updateOne({ _id: uuid }, { $set: { claims: 0 } })
    },
    holds: async ({ uuid, project, fence }) => {
      const row = await projects.findOne({ _id: project })
      return row?.state === 'open' && row.liveRun === uuid && row.fence === fence
    },
  }
}
