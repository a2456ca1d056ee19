// A batch of the journal as it is kept, and how its writes are applied, any number of times with the same end.
import type { Collection } from 'mongodb'
import type { MongoDb, MongoRow } from './connection.ts'
import { insertMissing } from './row.ts'

/** A write to single documents of one collection. */
export type Write =
  /** Documents that are inserted once and never after they were deleted. */
  | { to: string; insert: MongoRow[] }
  /** Fields to set on documents that are there. */
  | { to: string; set: MongoRow[] }
  /** Documents that go if nothing has written them since they had this seq. */
  | { to: string; drop: { _id: string; seq: number }[] }
  /** Documents whose `_id` never comes again. */
  | { to: string; erase: string[] }

/** The text of one version of a page, brought by the batch that publishes it. */
export interface Body extends MongoRow {
  project: string
  page: string
  text: Uint8Array
}

export interface Batch extends MongoRow {
  project: string
  number: number
  writes: Write[]
  bodies: { _id: string; page: string }[]
}

export const batches = (db: MongoDb): Collection<Batch> => db.collection<Batch>('batches')
export const bodies = (db: MongoDb): Collection<Body> => db.collection<Body>('page_bodies')

interface Numbered extends MongoRow {
  /** Number of the batch that wrote it last. */
  seq: number
}

export async function applyBatch(db: MongoDb, { number, writes }: Batch): Promise<void> {
  for (const write of writes) await apply(db.collection<Numbered>(write.to), number, write)
}

async function apply(rows: Collection<Numbered>, number: number, write: Write): Promise<void> {
  if ('insert' in write) {
    await insertMissing(rows, write.insert.map((row) => ({ ...row, seq: number })) as never)
  } else if ('set' in write && write.set.length > 0) {
    await rows.bulkWrite(toUpdates(write.set, number), { ordered: false })
  } else if ('drop' in write && write.drop.length > 0) {
    await rows.bulkWrite(
      write.drop.map((filter) => ({ deleteOne: { filter } })),
      { ordered: false },
    )
  } else if ('erase' in write && write.erase.length > 0) {
    await rows.deleteMany({ _id: { $in: write.erase } })
  }
}

/** One update for all documents that get the same fields: most outcomes of a batch are alike. */
function toUpdates(set: MongoRow[], number: number) {
  const alike = Map.groupBy(set, ({ _id, ...fields }) => JSON.stringify(fields))
  return [...alike.values()].map((rows) => {
    const { _id, ...fields } = rows[0]!
    const ids = rows.map((row) => row._id)
    return {
      updateMany: {
        filter: { _id: { $in: ids }, seq: { $lt: number } },
        update: { $set: { ...fields, seq: number } },
      },
    }
  })
}
