// Tables whose rows are read and changed by the values of their fields, in the same way by each driver. A noun that needs no more
// is written once, above the drivers (team.ts).
import type { Paged, PageRequest } from './paging.ts'

export interface Table<Row> {
  name: string
  /**
   * Names separated by spaces, with a type unless it is text, and `?` if nullable. Types are `int`, `json` for lists and objects,
   * `flag` for booleans, and `bytes`. Example: `uuid name projects:json? isPrivate:flag`
   */
  fields: string
  /** Fields that are unique together, and the field that Conflict names. */
  unique?: { fields: string; conflict: keyof Row & string }
  /** Fields of each index. */
  indexes?: string[]
  /** Whether rows belong to the project in their field `project`. */
  isOfProject?: boolean
}

/** A table with rows of any type. */
export type AnyTable = Omit<Table<unknown>, 'unique'> & { unique?: { fields: string; conflict: string } }

type Condition<Value> =
  | Value
  | { $in: readonly Value[] }
  | { $gt?: Value; $gte?: Value; $lt?: Value; $lte?: Value }
  /** The condition does not hold. Also true for null. */
  | { $not: { $gt: Value } | { $in: readonly Value[] } | { $has: readonly string[] } }
  /** Contains the text, case-insensitive. */
  | { $holds: Value }
  /** The list contains one of these texts. */
  | { $has: readonly string[] }

/** All conditions hold, and one of the filters in `$or`. `field.name` is a text in a list or object. */
export type Filter<Row> = { [Field in keyof Row]?: Condition<Row[Field]> } & {
  [path: `${string}.${string}`]: string
  $or?: Filter<Row>[]
}

export type Answer<Value> = Value | Promise<Value>

/** Rows of a table. Rows of a deleted project do not exist. An order names fields, with `-` for a descending one. */
export interface Rows<Row> {
  one(filter: Filter<Row>): Answer<Row | null>
  /** In any order if none is given. */
  all(filter: Filter<Row>, order?: string, page?: { offset?: number; limit: number }): Answer<Row[]>
  /** Some fields of the rows that match, in any order. Not for rows of projects. */
  pick<Field extends keyof Row & string>(filter: Filter<Row>, fields: Field[]): Answer<Pick<Row, Field>[]>
  page(filter: Filter<Row>, order: string, request: PageRequest): Answer<Paged<Row>>
  /** The number of rows that match. Not for rows of projects. */
  count(filter: Filter<Row>): Answer<number>
  /** The number of rows that match by the value of a field. Not for rows of projects. */
  tally<Field extends keyof Row & string>(
    filter: Filter<Row>,
    field: Field,
  ): Answer<{ value: Row[Field]; count: number }[]>
  /** The distinct values of a field of the rows that match. For rows of projects, the filter names one. */
  values<Field extends keyof Row & string>(filter: Filter<Row>, field: Field): Answer<Row[Field][]>
  /**
   * Inserts the row unless the uuid exists. Returns whether it did. Fails with Conflict if another row has the same unique values.
   */
  insert(row: Row): Answer<boolean>
  /** Inserts the rows whose uuid is new. Not for rows of projects. */
  insertAll(rows: Row[]): Answer<void>
  /** Sets fields of the rows that match. False if there are none. Fails with Conflict like `insert`. */
  set(filter: Filter<Row>, fields: Partial<Row>): Answer<boolean>
  /** Adds to a number of the row that matches, in one statement. Returns the changed row; null: none. */
  increment(filter: Filter<Row>, field: keyof Row & string, by: number): Answer<Row | null>
  /** Deletes the rows that match. False if there are none. */
  delete(filter: Filter<Row>): Answer<boolean>
  /** Deletes the rows that match in short steps. */
  clear(filter: Filter<Row>): Promise<void>
}

export const newestFirst = '-createdAt -uuid'
export const oldestFirst = 'createdAt uuid'

/** Writes fields of the row if the stored revision is the row's revision - 1. Returns whether it did. */
export async function update<Row extends { uuid: string; revision: number }>(
  rows: Rows<Row>,
  row: Row,
  fields: (keyof Row)[],
): Promise<boolean> {
  const { uuid, revision } = row
  const changed = Object.fromEntries(fields.map((field) => [field, row[field]]))
  return rows.set({ uuid, revision: revision - 1 } as Filter<Row>, { ...changed, revision } as Partial<Row>)
}
