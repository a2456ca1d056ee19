// Rows as they lie in a collection, and the writes that can be repeated.
import type { Collection, Filter, OptionalUnlessRequiredId } from 'mongodb'
import { Conflict } from '../../errors.ts'
import { areDuplicates, isDuplicate, type MongoRow } from './connection.ts'

/** A port's row with its uuid as `_id`, which every server looks up by key. */
export type Stored<Row extends { uuid: string }> = Omit<Row, 'uuid'> & { _id: string }

export function toStored<Row extends { uuid: string }>({ uuid, ...rest }: Row): Stored<Row> {
  return {
    _id: uuid,
    ...rest,
  }
}

export function fromStored<Row extends { uuid: string }>({ _id, ...rest }: Stored<Row>): Row {
  return { uuid: _id, ...rest } as unknown as Row
}

export function fromStoredOrNull<Row extends { uuid: string }>(row: Stored<Row> | null): Row | null {
  return row === null ? null : fromStored<Row>(row)
}

/**
 * Inserts a row; the same `_id` again changes nothing. Conflict (`unique`) when another row has the value of the
 * collection's unique index. Answers whether the row was new.
 */
export async function insertOnce<Row extends MongoRow>(
  rows: Collection<Row>,
  row: NoInfer<Row>,
  unique: string,
): Promise<boolean> {
  try {
    await rows.insertOne(row as OptionalUnlessRequiredId<Row>)
    return true
  } catch (error) {
    if (!isDuplicate(error)) throw error
    // Not every server says which index it met.
    if ((await rows.countDocuments({ _id: row._id } as Filter<Row>)) > 0) return false
    throw new Conflict(unique)
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

/** Runs a write that inserts what it does not find: two at once may both try, and one is told that the other did. */
export async function upserting<Result>(write: () => Promise<Result>): Promise<Result> {
  for (;;) {
    try {
      return await write()
    } catch (error) {
      if (!isDuplicate(error)) throw error
    }
  }
}

/** Rows deleted at once. */
const step = 1_000

/** Deletes every row that the filter finds, in steps short enough not to hold up anyone. */
export async function deleteInSteps<Row extends MongoRow>(
  rows: Collection<Row>,
  filter: Filter<Row>,
): Promise<void> {
  for (;;) {
    const found = await rows
      .find(filter, { projection: { _id: 1 } })
      .limit(step)
      .toArray()
    if (found.length === 0) return
    const ids = found.map((row) => row._id)
    await rows.deleteMany({ ...filter, _id: { $in: ids } } as Filter<Row>)
    if (ids.length < step) return
  }
}
