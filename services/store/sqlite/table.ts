// Objects of a port as rows of a table: the field `createdAt` is the column `created_at`.
import type { SQLInputValue } from 'node:sqlite'
import { Conflict } from '../../errors.ts'
import type { Paged, PageRequest } from '../paging.ts'
import type { Connection } from './connection.ts'

type Field<Row> = keyof Row & string

/** Names of fields, parted by spaces, by how they lie in their columns. Null is null in each. */
interface Fields<Row> {
  plain: string
  /** Lists and objects. */
  json?: string
  /** Booleans, as 0 or 1. */
  flag?: string
  /** Fields that are no columns of the table, and what a select reads them from. */
  elsewhere?: Partial<Record<Field<Row>, string>>
}

/** What a select answers, and what a statement is given by name. */
export type Values<Row> = Record<Field<Row>, SQLInputValue>

export interface Table<Row> {
  /** For `select`: every field, under its name. */
  columns: string
  /** For `insert`: the table's columns, and as many parameters. */
  names: string
  parameters: string
  /** For `update`: `name = $name, is_private = $isPrivate`. */
  set(fields: string): string
  /** The named parameters of a row. */
  values(row: Row): Values<Row>
  toRow(selected: Values<Row>): Row
  toRowOrNull(selected: Values<Row> | undefined): Row | null
}

/** `name`: the table's, or what a select calls it. */
export function createTable<Row extends object>(
  name: string,
  { plain, json = '', flag = '', elsewhere = {} }: Fields<Row>,
): Table<Row> {
  const [jsons, flags] = [namesIn(json), namesIn(flag)]
  const own = [...namesIn(plain), ...jsons, ...flags].filter((field) => !(field in elsewhere))
  const fields = [...own, ...Object.keys(elsewhere)]

  function toRow(selected: Values<Row>): Row {
    const row: Record<string, unknown> = { ...selected }
    for (const field of jsons) if (row[field] !== null) row[field] = JSON.parse(row[field] as string)
    for (const field of flags) row[field] = row[field] === 1
    return row as Row
  }

  return {
    columns: [
      ...own.map((field) => `${name}.${columnOf(field)} as ${field}`),
      ...Object.entries(elsewhere).map(([field, expression]) => `${expression} as ${field}`),
    ].join(', '),
    names: own.map(columnOf).join(', '),
    parameters: own.map((field) => `$${field}`).join(', '),
    set: (changed) =>
      namesIn(changed)
        .map((field) => `${columnOf(field)} = $${field}`)
        .join(', '),
    values(row) {
      const values: Record<string, unknown> = {}
      for (const field of fields) values[field] = row[field as Field<Row>]
      for (const field of jsons) if (values[field] !== null) values[field] = JSON.stringify(values[field])
      for (const field of flags) values[field] = Number(values[field])
      return values as Values<Row>
    },
    toRow,
    toRowOrNull: (selected) => (selected === undefined ? null : toRow(selected)),
  }
}

const namesIn = (list: string) => list.match(/\w+/g) ?? []

const columnOf = (field: string) => field.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)

/** A page of the rows that `from`, with its conditions, selects. `values` are those of `from`. */
export function readPage<Row>(
  db: Connection,
  { columns, toRow }: Pick<Table<Row>, 'columns' | 'toRow'>,
  { from, values, order }: { from: string; values: SQLInputValue[]; order: string },
  { offset, limit }: PageRequest,
): Paged<Row> {
  const { count } = db.get<{ count: number }>(`select count(*) as count ${from}`, ...values)!
  const rows = db.all<Values<Row>>(
    `select ${columns} ${from} order by ${order} limit ? offset ?`,
    ...values,
    limit,
    offset,
  )
  return { count, rows: rows.map(toRow) }
}

/** Throws Conflict (`field`) where `sql` finds a row of another uuid. */
export function refuseTaken(
  db: Connection,
  field: string,
  uuid: string,
  sql: string,
  ...values: SQLInputValue[]
): void {
  const holder = db.get<{ uuid: string }>(sql, ...values)
  if (holder !== undefined && holder.uuid !== uuid) throw new Conflict(field)
}
