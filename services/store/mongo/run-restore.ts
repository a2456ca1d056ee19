// Runs that ended in another store (see RunStore.restore).
import type { RunStore } from '../run.ts'
import { inChunks } from './chunks.ts'
import type { MongoDb, MongoRow } from './connection.ts'
import { toEventRow } from './event-row.ts'
import { openProject } from './project-row.ts'
import { insertMissing } from './row.ts'
import { readRun, runRows, toRunRow } from './run-row.ts'

/** Events written at once. */
const chunkSize = 1_000

export function createRestoreRun(db: MongoDb): Pick<RunStore, 'restore'> {
  return {
    restore: async (run, events) => {
      if (!(await openProject(db, run.project)) || (await readRun(db, run.uuid)) !== null) return
      // Events first: nobody sees them before the run is there, and a killed restoration is done again.
      await inChunks(events, chunkSize, async (chunk) => {
        await insertMissing(
          db.collection<MongoRow>('run_events'),
          chunk.map((event) => ({ ...toEventRow(run.project, run.uuid, event), seq: 0 })),
        )
        return true
      })
      const { pages, ...rest } = run
      const row = toRunRow(rest, { pages, events: events.at(-1)?.sequence ?? 0, frontier: 'cleared' })
      await insertMissing(runRows(db), [{ ...row, seq: 0 }])
    },
  }
}
