// Maps rows of a port to a table of rows.ts. The field `createdAt` is the column `created_at`, a flag is 0 or 1.
import type { SQLInputValue } from 'node:sqlite'
import { Conflict } from '../../errors.ts'
import type { Paged } from '../paging.ts'
import type { Table as Definition, Rows } from '../rows.ts'
import type { Connection } from './connection.ts'

interface Options<Row> {
  /** Columns and constraints beside the fields, in SQL. */
  extra?: string[]
  /** Fields from other tables, with their expressions for a select. */
  elsewhere?: Partial<Record<keyof Row & string, string>>
  withoutRowid?: boolean
}

/** A row as a select returns it, and the named parameters of a statement. */
type Stored<Row> = Record<keyof Row & string, SQLInputValue>

type Table<Row extends object> = ReturnType<typeof createTable<Row>>

export function createTable<Row extends object>(
  { name, fields, unique, indexes = [], isOfProject = false }: Definition<Row>,
  { extra = [], withoutRowid, elsewhere: others }: Options<Row> = {},
) {
  const from = isOfProject ? `from project join ${name} on ${name}.project = project.id` : `from ${name}`
  const elsewhere: Record<string, string | undefined> = {
    ...(isOfProject && { project: 'project.uuid' }),
    ...others,
  }
  const all = [...fields.matchAll(/(\w+)(?::(\w+))?(\?)?/g)].map(
    ([, field = '', type = 'text', optional]) => {
      return { field, type, column: toColumn(field), isOptional: optional !== undefined }
    },
  )
  const own = all.filter(({ field }) => !(field in elsewhere))
  const known = new Set([...all.map(({ field }) => field), ...Object.keys(elsewhere)])
  const ofType = (type: string) => all.filter((each) => each.type === type).map(({ field }) => field)
  const [jsons, flags] = [ofType('json'), ofType('flag')]
  const definitions = own.map(({ field, type, column, isOptional }) => {
    const stored = { int: 'integer', flag: 'integer', bytes: 'blob' }[type] ?? 'text'
    const constraints = `${isOptional ? '' : ' not null'}${field === 'uuid' ? ' unique' : ''}`
    return `${column} ${stored}${constraints}`
  })
  const toColumns = (names: string) => names.split(' ').map(toColumn)
  const constraints = unique ? [`unique (${toColumns(unique.fields)})`] : []
  const ofProject = isOfProject ? ['project integer not null'] : []
  const lines = [...definitions, ...ofProject, ...extra, ...constraints]
  const indexStatements = indexes.map(toColumns).map((columns) => {
    return `create index ${name}_by_${columns.join('_')} on ${name} (${columns});`
  })
  return {
    name,
    /** The statements that create it. */
    sql: `create table ${name} (\n  ${lines.join(',\n  ')}\n) strict${withoutRowid ? ', without rowid' : ''};
${indexStatements.join('\n')}\n`,
    /** For `select`: all fields by name. */
    columns: [
      ...own.map(({ field, column }) => `${name}.${column} as ${field}`),
      ...Object.entries(elsewhere).map(([field, expression]) => `${expression} as ${field}`),
    ].join(', '),
    from,
    /** The expression of a field in a select. */
    toExpression(field: string): string {
      const [column = '', path] = field.split('.')
      const expression = elsewhere[column] ?? `${name}.${toColumn(column)}`
      return path === undefined ? expression : `${expression} ->> '$.${path}'`
    },
    isOfProject,
    conflict: unique?.conflict ?? '',
    /** For `insert`: the columns and their parameters. */
    names: own.map(({ column }) => column).join(', '),
    parameters: own.map(({ field }) => `$${field}`).join(', '),
    /** For `update`: `name = $name, is_private = $isPrivate`. */
    set: (changed: string) =>
      changed.replace(/\w+/g, (field) => `${toColumn(field)} = $${field},`).slice(0, -1),
    /** The named parameters of a row, or of some of its fields. */
    values(row: Partial<Row>): Stored<Row> {
      const values: Record<string, unknown> = Object.fromEntries(
        Object.entries(row).filter(([field]) => known.has(field)),
      )
      for (const field of jsons) if (values[field] != null) values[field] = JSON.stringify(values[field])
      for (const field of flags) if (field in values) values[field] = Number(values[field])
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

const operators: Record<string, string> = { $gt: '>', $gte: '>=', $lt: '<', $lte: '<=' }

/** A condition of rows.ts in SQL. Appends its parameters to `values`. */
function toCondition(expression: string, condition: unknown, values: SQLInputValue[]): string {
  if (condition === null) return `${expression} is null`
  if (typeof condition !== 'object') {
    values.push(condition as SQLInputValue)
    return `${expression} = ?`
  }
  const terms = Object.entries(condition).map(([operator, operand]) => {
    if (operator === '$holds') {
      values.push(String(operand).toLowerCase())
      return `holds(${expression}, ?)`
    }
    if (operator === '$not') return `(${toCondition(expression, operand, values)}) is not true`
    values.push(operator === '$in' ? JSON.stringify(operand) : operand)
    if (operator === '$in') return `${expression} in (select value from json_each(?))`
    return `${expression} ${operators[operator]} ?`
  })
  return terms.join(' and ')
}

/** SQLITE_CONSTRAINT_UNIQUE */
const notUnique = 2067

/** Reads and writes rows of a table. Conditions are as in rows.ts, also of columns that are not in rows; undefined ones hold. */
export function createRows<Row extends object>(db: Connection, table: Table<Row>) {
  const { name, columns, from, names, parameters, toExpression, values: toValues, toRow } = table
  const insertion = table.isOfProject
    ? `insert into ${name} (project, ${names}) select id, ${parameters} from project where uuid = $project`
    : `insert into ${name} (${names}) values (${parameters})`

  /** `rest`: the rest of a select, with joins, conditions, order and limit. */
  const select = (rest: string, values: SQLInputValue[] = []): Row[] =>
    db.all<Stored<Row>>(`select ${columns} ${from} ${rest}`, values).map(toRow)

  function toWhere(filter: object): { where: string; values: SQLInputValue[] } {
    const values: SQLInputValue[] = []
    const conditions = Object.entries(filter).flatMap(([field, condition]) =>
      condition === undefined ? [] : [toCondition(toExpression(field), condition, values)],
    )
    return { where: conditions.length > 0 ? `where ${conditions.join(' and ')}` : '', values }
  }

  function toOrder(order: string): string {
    const toTerm = (field: string) =>
      field.startsWith('-') ? `${toExpression(field.slice(1))} desc` : toExpression(field)
    return `order by ${order.split(' ').map(toTerm).join(', ')}`
  }

  /** Without an order, SQLite is free to choose the best index. It compiles a statement with a limit again for each call. */
  function all(filter: object, order?: string, page?: { offset?: number; limit: number }): Row[] {
    const { where, values } = toWhere(filter)
    const rest = `${where} ${order ? toOrder(order) : ''}`
    return page
      ? select(`${rest} limit ? offset ?`, [...values, page.limit, page.offset ?? 0])
      : select(rest, values)
  }

  function one(filter: object): Row | null {
    const { where, values } = toWhere(filter)
    return select(`${where} limit 1`, values)[0] ?? null
  }

  /** Changes the rows that match. `statement` lacks its condition. Throws Conflict if that violates the unique index. */
  function change(statement: string, values: SQLInputValue[], filter: object): boolean {
    const selected = toWhere(filter)
    const rows = `select ${name}.rowid ${from} ${selected.where}`
    return unlessTaken(() => db.run(`${statement} where rowid in (${rows})`, [...values, ...selected.values]))
  }

  function unlessTaken(write: () => number): boolean {
    try {
      return write() > 0
    } catch (error) {
      throw (error as { errcode?: number }).errcode === notUnique ? new Conflict(table.conflict) : error
    }
  }

  return {
    select,
    all,
    one,
    page(filter: object, order: string, request: { offset: number; limit: number }): Paged<Row> {
      const { where, values } = toWhere(filter)
      return { count: db.count(`${from} ${where}`, values), rows: all(filter, order, request) }
    },
    values<Field extends keyof Row & string>(filter: object, field: Field): Row[Field][] {
      const { where, values } = toWhere(filter)
      const sql = `select distinct ${toExpression(field)} as value ${from} ${where}`
      return db.all<{ value: Row[Field] }>(sql, values).map(({ value }) => value)
    },
    /**
     * Inserts a row unless its uuid is taken or its project does not exist. Returns whether it did. Throws Conflict if another row
     * has the same unique values.
     */
    insert(row: Row): boolean {
      try {
        return unlessTaken(() => db.run(insertion, toValues(row)))
      } catch (error) {
        const { uuid } = row as Partial<{ uuid: string }>
        if (!(error instanceof Conflict) || one({ uuid }) === null) throw error
        return false
      }
    },
    set(filter: object, fields: Partial<Row>): boolean {
      const values: Record<string, SQLInputValue> = toValues(fields)
      const assignments = Object.keys(values).map((field) => `${toColumn(field)} = ?`)
      return change(`update ${name} set ${assignments}`, Object.values(values), filter)
    },
    increment(filter: object, field: string, by: number): Row | null {
      const { where, values } = toWhere(filter)
      const column = toColumn(field)
      const sql = `update ${name} set ${column} = ${column} + ? ${where} returning ${columns}`
      return db.all<Stored<Row>>(sql, [by, ...values]).map(toRow)[0] ?? null
    },
    delete: (filter: object): boolean => change(`delete from ${name}`, [], filter),
  }
}

/** The rows of a noun that is written above the drivers. A change waits for the writes of other threads without blocking this one. */
export function createSharedRows<Row extends { uuid: string }>(db: Connection, table: Table<Row>): Rows<Row> {
  const rows = createRows(db, table)
  return {
    ...rows,
    insertAll: (all) =>
      db.writeInBackground(() => {
        for (const row of all) rows.insert(row)
      }),
    set: (...change) => db.writeInBackground(() => rows.set(...change)),
    increment: (...change) => db.writeInBackground(() => rows.increment(...change)),
  }
}
