// Rows as they lie in a collection: reads by page and by id, and writes that can be repeated.
import type { Collection, Document, Filter, OptionalUnlessRequiredId, Sort, WithId } from 'mongodb'
import { Conflict } from '../../errors.ts'
import type { Paged, PageRequest } from '../paging.ts'
import { areDuplicates, isDuplicate, type MongoRow } from './connection.ts'

/** A port's row with its uuid as `_id`. */
export type Stored<Row extends { uuid: string }> = Omit<Row, 'uuid'> & { _id: string }

export function toStored<Row extends { uuid: string }>({ uuid, ...rest }: Row): Stored<Row> {
  return { _id: uuid, ...rest }
}

export function fromStored<Row extends { uuid: string }>({ _id, ...rest }: Stored<Row>): Row {
  return { uuid: _id, ...rest } as unknown as Row
}

export function fromStoredOrNull<Row extends { uuid: string }>(row: Stored<Row> | null): Row | null {
  return row === null ? null : fromStored<Row>(row)
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

export async function findPage<Row extends MongoRow, Result>(
  rows: Collection<Row>,
  filter: Filter<Row>,
  order: Sort,
  { offset, limit }: PageRequest,
  toResult: (row: WithId<Row>) => Result,
): Promise<Paged<Result>> {
  const found = await rows.find(filter).sort(order).skip(offset).limit(limit).toArray()
  return { count: await rows.countDocuments(filter), rows: found.map(toResult) }
}

/**
 * Inserts a row; the same `_id` again changes nothing. Throws Conflict(`unique`) when another row has the value of the
 * collection's unique index.
 */
export async function insertOnce<Row extends MongoRow>(
  rows: Collection<Row>,
  row: NoInfer<Row>,
  unique: string,
): Promise<void> {
  try {
    await rows.insertOne(row as OptionalUnlessRequiredId<Row>)
  } catch (error) {
    if (!isDuplicate(error)) throw error
    // Not every server says which index it met.
    if ((await rows.countDocuments({ _id: row._id } as Filter<Row>)) === 0) throw new Conflict(unique)
  }
}

/** Inserts what is not there yet; rows whose `_id` is taken are skipped. */
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
