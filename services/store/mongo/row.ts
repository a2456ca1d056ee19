// Documents of a collection: reads by id and in chunks, and idempotent writes.
import type { Collection, Document, Filter, OptionalUnlessRequiredId, WithId } from 'mongodb'
import { areDuplicates, type MongoRow } from './connection.ts'

/** A port's row with its uuid as `_id`. */
export type Stored<Row extends { uuid: string }> = Omit<Row, 'uuid'> & { _id: string }

export function toStored<Row extends { uuid: string }>({ uuid, ...rest }: Row): Stored<Row> {
  return { _id: uuid, ...rest }
}

export async function findByIds<Row extends MongoRow>(
  rows: Collection<Row>,
  ids: Iterable<string>,
  projection?: Document,
): Promise<WithId<Row>[]> {
  const wanted = [...new Set(ids)]
  if (wanted.length === 0) return []
  return rows.find({ _id: { $in: wanted } } as Filter<Row>, projection && { projection }).toArray()
}

/** Inserts the rows whose `_id` is new. Skips the others. */
export async function insertMissing<Row extends MongoRow>(
  rows: Collection<Row>,
  wanted: NoInfer<Row>[],
): Promise<void> {
  if (wanted.length === 0) return
  try {
    await rows.insertMany(wanted as OptionalUnlessRequiredId<Row>[], { ordered: false })
  } catch (error) {
    if (!areDuplicates(error)) throw error
  }
}

const maxDeleted = 1_000

/** Deletes rows that match the filter, in short steps. */
export async function deleteInSteps<Row extends MongoRow>(
  rows: Collection<Row>,
  filter: Filter<Row>,
): Promise<void> {
  for (;;) {
    const found = await rows
      .find(filter, { projection: { _id: 1 } })
      .limit(maxDeleted)
      .toArray()
    if (found.length === 0) return
    await rows.deleteMany({ ...filter, _id: { $in: found.map(({ _id }) => _id) } } as Filter<Row>)
  }
}

/** Yields the rows of a cursor in chunks of `size`. */
export async function* chunked<Row>(rows: AsyncIterable<Row>, size: number): AsyncGenerator<Row[]> {
  let chunk: Row[] = []
  for await (const row of rows) {
    chunk.push(row)
    if (chunk.length < size) continue
    yield chunk
    chunk = []
  }
  if (chunk.length > 0) yield chunk
}
