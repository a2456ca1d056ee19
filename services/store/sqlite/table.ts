// Maps rows of a port to a table of rows.ts. The field `createdAt` is the column `created_at`, a flag is 0 or 1.
import type { SQLInputValue } from 'node:sqlite'
import { Conflict } from '../../errors.ts'
import type { Write } from '../journal.ts'
import type { Paged } from '../paging.ts'
import type { AnyTable, Table as Definition, Rows } from '../rows.ts'
import { type Connection, yieldToWriters } from './connection.ts'

/** A row as a select returns it, and the named parameters of a statement. */
type Stored<Row> = Record<keyof Row & string, SQLInputValue>

type Table<Row extends object> = ReturnType<typeof createTable<Row>>

export function createTable<Row extends object>(
  { name, fields, unique, indexes = [], isOfProject = false }: Definition<Row> | AnyTable,
  /** Further columns and constraints, in SQL. */
  extra: string[] = [],
) {
  const from = isOfProject ? `from project join ${name} on ${name}.project = project.id` : `from ${name}`
  /** Fields from other tables, with their expressions for a select. */
  const elsewhere: Record<string, string> = isOfProject ? { project: 'project.uuid' } : {}
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
    sql: `create table ${name} (\n  ${lines.join(',\n  ')}\n) strict;
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
    /** For `update`: all columns, as in `name = $name, is_private = $isPrivate`. */
    set: own.map(({ field, column }) => `${column} = $${field}`).join(', '),
    /** The named parameters of a row, or of some of its fields. */
    values(row: object): Stored<Row> {
      const values: Record<string, unknown> = {}
      for (const [field, value] of Object.entries(row)) if (known.has(field)) values[field] = value
      for (const field of jsons) if (values[field] != null) values[field] = JSON.stringify(values[field])
      for (const field of flags) if (field in values) values[field] = Number(values[field])
      return values as Stored<Row>
    },
    /** `selected`: all fields, or some. */
    toRow(selected: Stored<Row>): Row {
      const row: Record<string, unknown> = { ...selected }
      for (const field of jsons) if (row[field] != null) row[field] = JSON.parse(row[field] as string)
      for (const field of flags) if (field in row) row[field] = row[field] === 1
      return row as Row
    },
  }
}

const columnNames = new Map<string, string>()

function toColumn(field: string): string {
  const known = columnNames.get(field)
  if (known !== undefined) return known
  const column = field.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)
  columnNames.set(field, column)
  return column
}

const operators: Record<string, string> = { $gt: '>', $gte: '>=', $lt: '<', $lte: '<=' }

function toValue(value: unknown): SQLInputValue {
  if (typeof value === 'boolean') return Number(value)
  return typeof value === 'object' ? JSON.stringify(value) : (value as SQLInputValue)
}

/** A condition of rows.ts in SQL. Appends its parameters to `values`. */
function toCondition(expression: string, condition: unknown, values: SQLInputValue[]): string {
  if (condition === null) return `${expression} is null`
  if (typeof condition !== 'object' || Array.isArray(condition)) {
    values.push(toValue(condition))
    return `${expression} = ?`
  }
  const terms = Object.entries(condition).map(([operator, operand]) => {
    if (operator === '$holds') {
      values.push(String(operand).toLowerCase())
      return `holds(${expression}, ?)`
    }
    if (operator === '$not') return `(${toCondition(expression, operand, values)}) is not true`
    values.push(toValue(operand))
    if (operator === '$has')
      return `exists (select 1 from json_each(${expression}) where value in (select value from json_each(?)))`
    if (operator === '$in') return `${expression} in (select value from json_each(?))`
    return `${expression} ${operators[operator]} ?`
  })
  return terms.join(' and ')
}

/** Rows deleted per transaction. */
const maxCleared = 500

/** SQLITE_CONSTRAINT_UNIQUE */
const notUnique = 2067

/** Reads and writes rows of a table. Conditions are as in rows.ts, also of columns that are not in rows; undefined ones hold. */
export function createRows<Row extends object>(db: Connection, table: Table<Row>) {
  const { name, columns, from, names, parameters, toExpression, values: toValues, toRow } = table
  const insertion = table.isOfProject
    ? `insert into ${name} (project, ${names}) select id, ${parameters} from project where uuid = $project`
    : `insert into ${name} (${names}) values (${parameters})`

  /** `rest`: the rest of a select, with tables, conditions, order and limit. */
  const select = (rest: string, values: SQLInputValue[] = []): Row[] =>
    db.all<Stored<Row>>(`select ${columns} ${rest}`, values).map(toRow)

  /** Appends parameters to `values`. */
  function toConditions(filter: object, values: SQLInputValue[]): string {
    const conditions = Object.entries(filter).flatMap(([field, condition]) => {
      if (field === '$or')
        return `(${(condition as object[]).map((each) => toConditions(each, values)).join(' or ')})`
      return condition === undefined ? [] : [toCondition(toExpression(field), condition, values)]
    })
    return conditions.join(' and ')
  }

  function toWhere(filter: object): { where: string; values: SQLInputValue[] } {
    const values: SQLInputValue[] = []
    const conditions = toConditions(filter, values)
    return { where: conditions && `where ${conditions}`, values }
  }

  /** The rest of a select. `in` sorts the uuids first, which takes twice as long as a join with them. */
  function toRest(filter: { uuid?: unknown }): { rest: string; values: SQLInputValue[] } {
    const { uuid, ...others } = filter
    const listed = table.isOfProject ? undefined : (uuid as { $in?: string[] } | undefined)?.$in
    const { where, values } = toWhere(listed === undefined ? filter : others)
    if (listed === undefined) return { rest: `${from} ${where}`, values }
    const joined = `from json_each(?) wanted cross join ${name} on ${name}.uuid = wanted.value`
    return { rest: `${joined} ${where}`, values: [JSON.stringify([...new Set(listed)]), ...values] }
  }

  function toOrder(order: string): string {
    const toTerm = (field: string) =>
      field.startsWith('-') ? `${toExpression(field.slice(1))} desc` : toExpression(field)
    return `order by ${order.split(' ').map(toTerm).join(', ')}`
  }

  /** Without an order, SQLite is free to choose the best index. It compiles a statement with a limit again for each call. */
  function all(filter: object, order?: string, page?: { offset?: number; limit: number }): Row[] {
    const { rest, values } = toRest(filter)
    const ordered = `${rest} ${order ? toOrder(order) : ''}`
    return page
      ? select(`${ordered} limit ? offset ?`, [...values, page.limit, page.offset ?? 0])
      : select(ordered, values)
  }

  function one(filter: object): Row | null {
    const { where, values } = toWhere(filter)
    return select(`${from} ${where} limit 1`, values)[0] ?? null
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

  function count(filter: object): number {
    const { where, values } = toWhere(filter)
    return db.count(`${from} ${where}`, values)
  }

  return {
    all,
    one,
    count,
    pick<Field extends keyof Row & string>(filter: object, fields: Field[]): Pick<Row, Field>[] {
      const { rest, values } = toRest(filter)
      const picked = fields.map((field) => `${toExpression(field)} as ${field}`)
      return db.all<Stored<Row>>(`select ${picked} ${rest}`, values).map(toRow)
    },
    tally<Field extends keyof Row & string>(filter: object, field: Field) {
      const { where, values } = toWhere(filter)
      const [column, n] = [toExpression(field), 'count(*) as n']
      const rows = db.all<Stored<Row> & { n: number }>(
        `select ${column} as ${field}, ${n} ${from} ${where} group by ${column}`,
        values,
      )
      return rows.map((row) => ({ value: toRow(row)[field], count: row.n }))
    },
    page(filter: object, order: string, request: { offset: number; limit: number }): Paged<Row> {
      return { count: count(filter), rows: all(filter, order, request) }
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
      const column = toColumn(field)
      return change(`update ${name} set ${column} = ${column} + ?`, [by], filter) ? one(filter) : null
    },
    delete: (filter: object): boolean => change(`delete from ${name}`, [], filter),
    /** Deletes rows that match in short transactions, with pauses for other writers. */
    async clear(filter: object): Promise<void> {
      const { where, values } = toWhere(filter)
      const some = `select ${name}.rowid ${from} ${where} limit ${maxCleared}`
      while (db.run(`delete from ${name} where rowid in (${some})`, values) > 0) await yieldToWriters()
    },
    /** Applies a write of the journal. Call it in a transaction. */
    apply(write: Write): void {
      if ('insert' in write) {
        for (const row of write.insert) db.run(`${insertion} on conflict do nothing`, toValues(row))
      } else if ('put' in write) {
        const replacement = `${insertion} on conflict (uuid) do update set ${table.set}`
        for (const row of write.put) db.run(replacement, toValues(row))
      } else if ('set' in write) {
        for (const { uuid, ...fields } of write.set) {
          const changed: Record<string, SQLInputValue> = toValues(fields)
          const assignments = Object.keys(changed).map((field) => `${toColumn(field)} = ?`)
          db.run(`update ${name} set ${assignments} where uuid = ?`, [...Object.values(changed), uuid])
        }
      } else if ('erase' in write) {
        for (const uuid of write.erase) db.run(`delete from ${name} where uuid = ?`, [uuid])
      }
    },
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
