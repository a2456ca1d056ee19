// Batches that will never be linked: their writer was killed before the link, or between the unlink and its last step.
import type { MongoDb } from './connection.ts'
import type { JournalRow } from './journal.ts'
import { type Batch, batches, bodies } from './journal-batch.ts'
import { pageRows } from './page-row.ts'

/**
 * Clears batches whose number their project has passed, with the bodies that they brought and no page took. A batch that is
 * linked, or may still be, stays.
 */
export const clearDeadBatches = async (db: MongoDb): Promise<void> => {
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

const clearBodies = async (db: MongoDb, batch: Batch): Promise<void> => {
  const pages = batch.bodies.map((body) => body.page)
  const rows = await pageRows(db)
    .find({ _id: { $in: pages }, state: 'current' }, { projection: { body: 1 } })
    .toArray()
  const taken = new Set(rows.map((row) => row.body))
  const dead = batch.bodies.flatMap(({ _id }) => (taken.has(_id) ? [] : [_id]))
  await bodies(db).deleteMany({ _id: { $in: dead } })
}
