// What ended runs, deleted sources and killed writers leave, cleared beside other work and continued by any process.
import { maxRuns, runsWithEvents } from '../run.ts'
import type { MongoDb, MongoRow } from './connection.ts'
import type { Journal, JournalRow } from './journal.ts'
import { type Batch, batches, bodies } from './journal-batch.ts'
import { pageRows } from './page-row.ts'
import { deleteInSteps } from './row.ts'
import { type RunRow, runRows } from './run-row.ts'
import { clearAllLeaving } from './source-leaving.ts'

export interface RunCleanup {
  /** Clears all of it; resolves when that is done. */
  run(): Promise<void>
  /** Clears later, without anyone waiting for it. */
  schedule(): void
  /** Resolves when nothing is being cleared any more. */
  stop(): Promise<void>
}

interface OfRun extends MongoRow {
  run: string
}

export function createRunCleanup(db: MongoDb, journal: Journal): RunCleanup {
  const runs = runRows(db)
  let stopped = false
  let running: Promise<void> = Promise.resolve()

  async function clearFrontier({ _id }: RunRow): Promise<void> {
    for (const part of ['listings', 'frontier']) {
      if (stopped) return
      await deleteInSteps(db.collection<OfRun>(part), { run: _id })
    }
    await runs.updateOne({ _id, frontier: 'ended' }, { $set: { frontier: 'cleared' } })
  }

  /** Logs go in two steps: out of every answer, then out of the database. */
  async function clearLogs(project: string): Promise<void> {
    const newest = runs
      .find({ project, log: { $in: ['kept', 'leaving'] } })
      .sort({ createdAt: -1, fence: -1 })
    for (const { _id } of (await newest.toArray()).slice(runsWithEvents)) {
      if (stopped) return
      await runs.updateOne({ _id }, { $set: { log: 'leaving' } })
      await deleteInSteps(db.collection<OfRun>('run_events'), { run: _id })
      await runs.updateOne({ _id }, { $set: { log: 'gone' } })
    }
  }

  async function clearRuns(project: string): Promise<void> {
    const rows = runs.find({ project }, { projection: { frontier: 1 } }).sort({ createdAt: -1, fence: -1 })
    for (const { _id, frontier } of (await rows.toArray()).slice(maxRuns)) {
      // A batch may still write to a run that is about to end: the next cleanup removes it.
      if (!stopped && frontier === 'cleared') await runs.deleteOne({ _id, log: 'gone' })
    }
  }

  async function run(): Promise<void> {
    const ended = await runs.find({ frontier: 'ended' }).toArray()
    for (const project of new Set(ended.map((row) => row.project))) await clearLogs(project)
    for (const row of ended) await clearFrontier(row)
    for (const project of new Set(ended.map((row) => row.project))) await clearRuns(project)
    if (!stopped) await clearAllLeaving(db, journal)
    if (!stopped) await clearDeadBatches(db)
  }

  return {
    run,
    schedule: () => {
      // A failure leaves what there is to the next clearing, or the next start.
      running = running.then(() => (stopped ? undefined : run())).catch(() => {})
    },
    stop: async () => {
      stopped = true
      await running
    },
  }
}

/**
 * Batches that will never be linked: their writer was killed before the link, or between the unlink and its last step.
 * Clears batches whose number their project has passed, with the bodies that they brought and no page took. A batch that is
 * linked, or may still be, stays.
 */
async function clearDeadBatches(db: MongoDb): Promise<void> {
  const projects = db.collection<JournalRow>('projects')
  for (const batch of await batches(db)
    .find({}, { projection: { writes: 0 } })
    .toArray()) {
    const project = await projects.findOne({ _id: batch.project })
    const open = project?.state === 'open'
    if (open && (project.batch === batch._id || batch.number > (project.sequence ?? 0))) continue
    await clearBodies(db, batch)
    await batches(db).deleteOne({ _id: batch._id })
  }
}

async function clearBodies(db: MongoDb, batch: Batch): Promise<void> {
  const pages = batch.bodies.map((body) => body.page)
  const rows = await pageRows(db)
    .find({ _id: { $in: pages }, state: 'current' }, { projection: { body: 1 } })
    .toArray()
  const taken = new Set(rows.map((row) => row.body))
  const dead = batch.bodies.flatMap(({ _id }) => (taken.has(_id) ? [] : [_id]))
  await bodies(db).deleteMany({ _id: { $in: dead } })
}
