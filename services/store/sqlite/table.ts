// Maps rows of a port to a table, defined by its fields. The field `createdAt` is the column `created_at`.
import type { SQLInputValue } from 'node:sqlite'
import { Conflict } from '../../errors.ts'
import type { Paged, PageRequest } from '../paging.ts'
import type { Connection } from './connection.ts'

interface Options<Row> {
  /** Additional columns and constraints, in SQL. */
  extra?: string
  /** The `from` clause of a select, if it joins other tables. */
  from?: string
  /** Fields from other tables, with their expressions for a select. */
  elsewhere?: Partial<Record<keyof Row & string, string>>
  withoutRowid?: boolean
}

/** A row as a select returns it, and the named parameters of a statement. */
type Stored<Row> = Record<keyof Row & string, SQLInputValue>

type Table<Row extends object> = ReturnType<typeof createTable<Row>>

/**
 * `fields`: names separated by spaces, with a type unless it is text, and `?` if nullable. Types are `int`, `json` for lists and
 * objects, and `flag` for booleans, stored as 0 or 1. Example: `name projects:json? isPrivate:flag`
 */
export function createTable<Row extends object>(
  name: string,
  fields: string,
  { extra, from = `from ${name}`, elsewhere = {}, withoutRowid }: Options<Row> = {},
) {
  const all = [...fields.matchAll(/(\w+)(?::(\w+))?(\?)?/g)].map(
    ([, field = '', type = 'text', optional]) => {
      return { field, type, column: toColumn(field), isOptional: optional !== undefined }
    },
  )
  const own = all.filter(({ field }) => !(field in elsewhere))
  const ofType = (type: string) => all.filter((each) => each.type === type).map(({ field }) => field)
  const [jsons, flags] = [ofType('json'), ofType('flag')]
  const definitions = own.map(({ field, type, column, isOptional }) => {
    const isNumber = type === 'int' || type === 'flag'
    const constraints = `${isOptional ? '' : ' not null'}${field === 'uuid' ? ' unique' : ''}`
    return `${column} ${isNumber ? 'integer' : 'text'}${constraints}`
  })
  return {
    name,
    /** The statement that creates it. */
    sql: `create table ${name} (
  ${[...definitions, ...(extra ? [extra] : [])].join(',\n  ')}
) strict${withoutRowid ? ', without rowid' : ''};`,
    /** For `select`: all fields by name. */
    columns: [
      ...own.map(({ field, column }) => `${name}.${column} as ${field}`),
      ...Object.entries(elsewhere).map(([field, expression]) => `${expression} as ${field}`),
    ].join(', '),
    from,
    /** Whether rows belong to a project, with its uuid from the table of projects. */
    isOfProject: 'project' in elsewhere,
    /** For `insert`: the columns and their parameters. */
    names: own.map(({ column }) => column).join(', '),
    parameters: own.map(({ field }) => `$${field}`).join(', '),
    /** For `update`: `name = $name, is_private = $isPrivate`. */
    set: (changed: string) =>
      changed.replace(/\w+/g, (field) => `${toColumn(field)} = $${field},`).slice(0, -1),
    /** The named parameters of a row. */
    values(row: Row): Stored<Row> {
      const values: Record<string, unknown> = {}
      for (const field of [...all.map((each) => each.field), ...Object.keys(elsewhere)])
        values[field] = row[field as keyof Row]
      for (const field of jsons) if (values[field] !== null) values[field] = JSON.stringify(values[field])
      for (const field of flags) values[field] = Number(values[field])
      return values as Stored<Row>
    },
    toRow(selected: Stored<Row>): Row {
      const row: Record<string, unknown> = { ...selected }
      for (const field of jsons) if (row[field] !== null) row[field] = JSON.parse(row[field] as string)
      for (const field of flags) row[field] = row[field] === 1
      return row as Row
    },
  }
}

const toColumn = (field: string) => field.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)

/** Reads and writes rows of a table. `rest`: the rest of a select, with joins, conditions, order and limit. */
export function createRows<Row extends object>(db: Connection, table: Table<Row>) {
  const { name, columns, from, names, parameters, set, values: toValues, toRow } = table
  const insertion = table.isOfProject
    ? `insert into ${name} (project, ${names}) select id, ${parameters} from project where uuid = $project`
    : `insert into ${name} (${names}) values (${parameters})`

  const all = (rest: string, values: SQLInputValue[] = []): Row[] =>
    db.all<Stored<Row>>(`select ${columns} ${from} ${rest}`, values).map(toRow)
  /** Inserts a row unless its uuid is taken or its project does not exist. Returns whether it did. */
  const insert = (row: Row): boolean =>
    db.run(`${insertion} on conflict (uuid) do nothing`, toValues(row)) > 0
  return {
    all,
    /** The first row, or null. */
    one(rest: string, values: SQLInputValue[] = []): Row | null {
      const selected = db.get<Stored<Row>>(`select ${columns} ${from} ${rest}`, values)
      return selected === undefined ? null : toRow(selected)
    },
    page(rest: string, values: SQLInputValue[], { offset, limit }: PageRequest): Paged<Row> {
      const count = db.count(`${from} ${rest}`, values)
      return { count, rows: all(`${rest} limit ? offset ?`, [...values, limit, offset]) }
    },
    insert,
    /** Like `insert`, but throws Conflict(`field`) if `taken` finds a row with another uuid. */
    insertUnique(row: Row & { uuid: string }, field: string, taken: string, values: SQLInputValue[]): void {
      db.write(() => {
        const existing = db.get<{ uuid: string }>(`select ${name}.uuid ${from} ${taken}`, values)
        if (existing !== undefined && existing.uuid !== row.uuid) throw new Conflict(field)
        insert(row)
      })
    },
    /** Writes `fields` if the stored revision is the row's revision - 1. Returns whether it did. */
    update: (row: Row, fields: string): boolean =>
      db.run(
        `update ${name} set ${set(fields)} where uuid = $uuid and revision = $revision - 1`,
        toValues(row),
      ) > 0,
  }
}
