// A source as it lies in its collection.
import type { Source } from '../source.ts'
import type { MongoDb } from './connection.ts'
import type { OpenProject } from './journal.ts'
import type { Stored } from './row.ts'

export type SourceRow = Stored<Source>

export const sourceRows = (db: MongoDb) => db.collection<SourceRow>('sources')

/** Rows of a Lectern that knew sources by their address alone get what they lack. Called before the indexes are made. */
export async function completeSources(db: MongoDb): Promise<void> {
  const sources = sourceRows(db)
  for await (const { _id, url } of sources.find({ identity: { $exists: false } })) {
    const missing = { identity: url, options: {}, lastError: null }
    await sources.updateOne({ _id, identity: { $exists: false } }, { $set: missing })
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
