// Objects of a port as rows of a table: the field `createdAt` is the column `created_at`.
import type { SQLInputValue } from 'node:sqlite'
import { Conflict } from '../../errors.ts'
import type { Paged, PageRequest } from '../paging.ts'
import type { Connection } from './connection.ts'

/** Names of fields, separated by spaces, by how they are stored. Null is stored as null. */
interface Fields<Row> {
  plain: string
  /** Lists and objects. */
  json?: string
  /** Booleans, stored as 0 or 1. */
  flag?: string
  /** Fields without a column in the table, and the expressions that a select reads them from. */
  elsewhere?: Partial<Record<keyof Row & string, string>>
}

/** A row as a select returns it, and the named parameters of a statement. */
type Values<Row> = Record<keyof Row & string, SQLInputValue>

export interface Table<Row> {
  name: string
  /** Whether its rows belong to a project, whose uuid is read from the table of projects. */
  isOfProject: boolean
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
}

export function createTable<Row extends object>(
  name: string,
  { plain, json = '', flag = '', elsewhere = {} }: Fields<Row>,
): Table<Row> {
  const [jsons, flags] = [splitNames(json), splitNames(flag)]
  const own = [...splitNames(plain), ...jsons, ...flags].filter((field) => !(field in elsewhere))
  const fields = [...own, ...Object.keys(elsewhere)]
  return {
    name,
    isOfProject: 'project' in elsewhere,
    columns: [
      ...own.map((field) => `${name}.${toColumn(field)} as ${field}`),
      ...Object.entries(elsewhere).map(([field, expression]) => `${expression} as ${field}`),
    ].join(', '),
    names: own.map(toColumn).join(', '),
    parameters: own.map((field) => `$${field}`).join(', '),
    set: (changed) =>
      splitNames(changed)
        .map((field) => `${toColumn(field)} = $${field}`)
        .join(', '),
    values(row) {
      const values: Record<string, unknown> = {}
      for (const field of fields) values[field] = row[field as keyof Row]
      for (const field of jsons) if (values[field] !== null) values[field] = JSON.stringify(values[field])
      for (const field of flags) values[field] = Number(values[field])
      return values as Values<Row>
    },
    toRow(selected) {
      const row: Record<string, unknown> = { ...selected }
      for (const field of jsons) if (row[field] !== null) row[field] = JSON.parse(row[field] as string)
      for (const field of flags) row[field] = row[field] === 1
      return row as Row
    },
  }
}

const splitNames = (list: string) => list.match(/\w+/g) ?? []

const toColumn = (field: string) => field.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)

/** Inserts a row unless its uuid is taken or its project does not exist. Returns whether it did. */
export function insertNew<Row>(db: Connection, table: Table<Row>, row: Row): boolean {
  const { name, names, parameters } = table
  const insertion = table.isOfProject
    ? `insert into ${name} (project, ${names}) select id, ${parameters} from project where uuid = $project`
    : `insert into ${name} (${names}) values (${parameters})`
  return db.run(`${insertion} on conflict (uuid) do nothing`, table.values(row)) > 0
}

/** Writes `fields` if the stored revision is the row's revision - 1. Returns whether it did. */
export function updateRevision<Row>(
  db: Connection,
  { name, set, values }: Table<Row>,
  fields: string,
  row: Row,
): boolean {
  return (
    db.run(`update ${name} set ${set(fields)} where uuid = $uuid and revision = $revision - 1`, values(row)) >
    0
  )
}

/** The first row of `from`, which has the conditions and the order; null if there is none. */
export function readOne<Row>(
  db: Connection,
  { columns, toRow }: Table<Row>,
  from: string,
  ...values: SQLInputValue[]
): Row | null {
  const selected = db.get<Values<Row>>(`select ${columns} ${from}`, ...values)
  return selected === undefined ? null : toRow(selected)
}

export function readAll<Row>(
  db: Connection,
  { columns, toRow }: Table<Row>,
  from: string,
  ...values: SQLInputValue[]
): Row[] {
  return db.all<Values<Row>>(`select ${columns} ${from}`, ...values).map(toRow)
}

/** A page of the rows of `from`, which has the conditions. */
export function readPage<Row>(
  db: Connection,
  table: Table<Row>,
  { from, values, order }: { from: string; values: SQLInputValue[]; order: string },
  { offset, limit }: PageRequest,
): Paged<Row> {
  const { count } = db.get<{ count: number }>(`select count(*) as count ${from}`, ...values)!
  const rows = readAll(db, table, `${from} order by ${order} limit ? offset ?`, ...values, limit, offset)
  return { count, rows }
}

/** Throws Conflict (`field`) if `sql` finds a row with another uuid. */
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
