// What ended runs, deleted sources and killed writers leave, cleared beside other work and taken up by any process.
import { runsWithEvents } from '../run.ts'
import type { MongoDb, MongoRow } from './connection.ts'
import type { Journal } from './journal.ts'
import { clearDeadBatches } from './journal-remains.ts'
import { deleteInSteps } from './row.ts'
import { type RunRow, runRows } from './run-row.ts'
import { clearAllLeaving } from './source-leaving.ts'

export interface RunRemains {
  /** Clears all of it; resolves when that is done. */
  clear(): Promise<void>
  /** Clears later, without anyone waiting for it. */
  clearSoon(): void
  /** Resolves when nothing is being cleared any more. */
  stop(): Promise<void>
}

interface OfRun extends MongoRow {
  run: string
}

export const createRunRemains = (db: MongoDb, journal: Journal): RunRemains => {
  const runs = runRows(db)
  let stopped = false
  let clearing: Promise<void> = Promise.resolve()

  const clearFrontier = async ({ _id }: RunRow): Promise<void> => {
    for (const part of ['listings', 'frontier']) {
      if (stopped) return
      await deleteInSteps(db.collection<OfRun>(part), { run: _id })
    }
    await runs.updateOne({ _id, frontier: 'ended' }, { $set: { frontier: 'cleared' } })
  }

  /** Logs go in two steps: out of every answer, then out of the database. */
  const clearLogs = async (project: string): Promise<void> => {
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

  const clear = async (): Promise<void> => {
    const ended = await runs.find({ frontier: 'ended' }).toArray()
    for (const project of new Set(ended.map((run) => run.project))) await clearLogs(project)
    for (const run of ended) await clearFrontier(run)
    if (!stopped) await clearAllLeaving(db, journal)
    if (!stopped) await clearDeadBatches(db)
  }

  return {
    clear,
    clearSoon: () => {
      // A failure leaves what there is to the next clearing, or the next start.
      clearing = clearing.then(() => (stopped ? undefined : clear())).catch(() => {})
    },
    stop: async () => {
      stopped = true
      await clearing
    },
  }
}
