// Documents of a collection: reads by page and by id, and idempotent writes.
import type { Collection, Document, Filter, OptionalUnlessRequiredId, Sort, WithId } from 'mongodb'
import { Conflict } from '../../errors.ts'
import type { Paged, PageRequest } from '../paging.ts'
import { areDuplicates, isDuplicate, type MongoDb, type MongoRow } from './connection.ts'

/** A port's row with its uuid as `_id`. */
export type Stored<Row extends { uuid: string }> = Omit<Row, 'uuid'> & { _id: string }

export function toStored<Row extends { uuid: string }>({ uuid, ...rest }: Row): Stored<Row> {
  return { _id: uuid, ...rest }
}

/** Access to rows of a port. `own`: fields of the documents that are not in rows. */
export function createRows<
  Row extends { uuid: string },
  Document extends Stored<Row> & MongoRow = Stored<Row>,
>(db: MongoDb, name: string, own: (keyof Document & string)[] = []) {
  const documents = db.collection<Document>(name)
  const projection = Object.fromEntries(own.map((field) => [field, 0]))
  const find = (filter: Filter<Document>, order: Sort) => documents.find(filter, { projection }).sort(order)
  function toRow({ _id, ...fields }: Document | WithId<Document>): Row {
    const row: Record<string, unknown> = { uuid: _id, ...fields }
    for (const field of own) delete row[field]
    return row as Row
  }
  return {
    documents,
    toRow,
    one: async (filter: Filter<Document>): Promise<Row | null> => {
      const document = await documents.findOne(filter, { projection })
      return document && toRow(document)
    },
    all: async (filter: Filter<Document>, order: Sort, limit = 0): Promise<Row[]> =>
      (await find(filter, order).limit(limit).toArray()).map(toRow),
    page: async (
      filter: Filter<Document>,
      order: Sort,
      { offset, limit }: PageRequest,
    ): Promise<Paged<Row>> => {
      const found = await find(filter, order).skip(offset).limit(limit).toArray()
      return { count: await documents.countDocuments(filter), rows: found.map(toRow) }
    },
    /**
     * Inserts a document. Does nothing if the `_id` exists. Rejects with Conflict(`unique`) if another document has the same value
     * in the collection's unique index.
     */
    insertUnique: async (document: NoInfer<Document>, unique: string): Promise<void> => {
      try {
        await documents.insertOne(document as OptionalUnlessRequiredId<Document>)
      } catch (error) {
        if (!isDuplicate(error)) throw error
        // Not every server reports which index has the duplicate.
        const same = { _id: document._id } as Filter<Document>
        if ((await documents.countDocuments(same)) === 0) throw new Conflict(unique)
      }
    },
  }
}

export const newestFirst = { createdAt: -1, _id: -1 } as const
export const oldestFirst = { createdAt: 1, _id: 1 } as const

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

/** Retries an upsert that fails because another process inserts the same row concurrently. */
export async function upserting<Result>(write: () => Promise<Result>): Promise<Result> {
  for (;;) {
    try {
      return await write()
    } catch (error) {
      if (!isDuplicate(error)) throw error
    }
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

/** Calls `work` for consecutive chunks of `rows`, until it returns false. */
export async function inChunks<Row>(
  rows: Row[],
  size: number,
  work: (chunk: Row[]) => Promise<boolean>,
): Promise<void> {
  for (let at = 0; at < rows.length; at += size) if (!(await work(rows.slice(at, at + size)))) return
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
