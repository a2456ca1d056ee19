// A source as it lies in its collection.
import type { Source } from '../source.ts'
import type { MongoDb } from './connection.ts'
import type { OpenProject } from './journal.ts'
import type { Stored } from './row.ts'

export type SourceRow = Stored<Source>

export const sourceRows = (db: MongoDb) => db.collection<SourceRow>('sources')

/** Rows of earlier versions get the fields that they lack. Called before the indexes are made. */
export async function completeSources(db: MongoDb): Promise<void> {
  const sources = sourceRows(db)
  for await (const { _id, url } of sources.find({ identity: { $exists: false } })) {
    const missing = { identity: url, options: {}, lastError: null }
    await sources.updateOne({ _id, identity: { $exists: false } }, { $set: missing })
  }
  for await (const { _id, lastError, lastCrawledAt } of sources.find({ state: { $exists: false } })) {
    const state = lastError !== null ? 'failed' : lastCrawledAt !== null ? 'ok' : 'pending'
    await sources.updateOne({ _id, state: { $exists: false } }, { $set: { state } })
  }
}

/** UUIDs of the project's sources that are there. */
export async function sourcesThere(
  db: MongoDb,
  { uuid, leaving }: Pick<OpenProject, 'uuid' | 'leaving'>,
): Promise<Set<string>> {
  const rows = await sourceRows(db)
    .find({ project: uuid }, { projection: { _id: 1 } })
    .toArray()
  return new Set(rows.flatMap(({ _id }) => (leaving.includes(_id) ? [] : [_id])))
}
