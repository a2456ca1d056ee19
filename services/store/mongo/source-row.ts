// A source as it lies in its collection.
import type { Source } from '../source.ts'
import type { MongoDb } from './connection.ts'
import type { OpenProject } from './journal.ts'
import type { Stored } from './row.ts'

export type SourceRow = Stored<Source>

export const sourceRows = (db: MongoDb) => db.collection<SourceRow>('sources')

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
