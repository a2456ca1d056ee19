// Rows as they lie in a collection: reads by page and by id, and writes that can be repeated.
import type { Collection, Document, Filter, OptionalUnlessRequiredId, Sort, WithId } from 'mongodb'
import { Conflict } from '../../errors.ts'
import type { Paged, PageRequest } from '../paging.ts'
import { areDuplicates, isDuplicate, type MongoDb, type MongoRow } from './connection.ts'

/** A port's row with its uuid as `_id`. */
export type Stored<Row extends { uuid: string }> = Omit<Row, 'uuid'> & { _id: string }

export function toStored<Row extends { uuid: string }>({ uuid, ...rest }: Row): Stored<Row> {
  return { _id: uuid, ...rest }
}

/** Rows of a port in a collection, whose documents may have more fields. */
export interface Rows<Row, Document extends MongoRow> {
  documents: Collection<Document>
  toRow(document: Document): Row
  one(filter: Filter<Document>): Promise<Row | null>
  all(filter: Filter<Document>, order: Sort, limit?: number): Promise<Row[]>
  page(filter: Filter<Document>, order: Sort, request: PageRequest): Promise<Paged<Row>>
  /**
   * Inserts a document; the same `_id` again changes nothing. Throws Conflict(`unique`) when another document has the value of
   * the collection's unique index.
   */
  insertUnique(document: NoInfer<Document>, unique: string): Promise<void>
}

/** `own`: fields of the documents that rows do not have. */
export function createRows<
  Row extends { uuid: string },
  Document extends Stored<Row> & MongoRow = Stored<Row>,
>(db: MongoDb, name: string, own: (keyof Document & string)[] = []): Rows<Row, Document> {
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
    one: async (filter) => {
      const document = await documents.findOne(filter, { projection })
      return document && toRow(document)
    },
    all: async (filter, order, limit = 0) => (await find(filter, order).limit(limit).toArray()).map(toRow),
    page: async (filter, order, { offset, limit }) => {
      const found = await find(filter, order).skip(offset).limit(limit).toArray()
      return { count: await documents.countDocuments(filter), rows: found.map(toRow) }
    },
    insertUnique: async (document, unique) => {
      try {
        await documents.insertOne(document as OptionalUnlessRequiredId<Document>)
      } catch (error) {
        if (!isDuplicate(error)) throw error
        // Not every server says which index it met.
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

/** Inserts the rows whose `_id` is new; skips the others. */
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

/** Repeats an upsert while it fails because another process inserts the same row at the same time. */
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

/** Deletes what the filter finds, in steps short enough not to hold up other work. */
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

/** Works on pieces of `rows`, one after the other, until `work` returns false. */
export async function inChunks<Row>(
  rows: Row[],
  size: number,
  work: (chunk: Row[]) => Promise<boolean>,
): Promise<void> {
  for (let at = 0; at < rows.length; at += size) if (!(await work(rows.slice(at, at + size)))) return
}

/** What a cursor yields, in pieces of `size`. */
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
