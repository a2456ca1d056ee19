// The documents of a table of rows.ts.
import type { Filter, OptionalUnlessRequiredId, UpdateFilter, WithId } from 'mongodb'
import { Conflict } from '../../errors.ts'
import { chatTable } from '../chat-store.ts'
import { journalTables } from '../nouns.ts'
import { pageTable } from '../page-rows.ts'
import type { Paged, PageRequest } from '../paging.ts'
import { projectTable } from '../project.ts'
import type { Table } from '../rows.ts'
import { isDuplicate, type MongoDb, type MongoRow } from './connection.ts'
import { isOpen, openProjects, projectFields } from './project.ts'
import { deleteInSteps, insertMissing, type Stored, toStored } from './row.ts'

/** The name of the table's collection. */
export const toCollection = ({ name }: Pick<Table<unknown>, 'name'>): string =>
  name.endsWith('s') ? `${name}es` : `${name}s`

/** `a -b uuid` → `{ a: 1, b: -1, _id: 1 }` */
export function toOrder(fields: string): Record<string, 1 | -1> {
  const toField = (field: string) => (field === 'uuid' ? '_id' : field)
  return Object.fromEntries(
    fields
      .split(' ')
      .map((field) => (field.startsWith('-') ? [toField(field.slice(1)), -1] : [toField(field), 1])),
  )
}

/** A condition of the port in MongoDB's terms. */
function toCondition(condition: unknown): unknown {
  if (typeof condition !== 'object' || condition === null) return condition
  if ('$not' in condition) return { $not: toCondition(condition.$not) }
  if ('$has' in condition) return { $in: condition.$has }
  if (!('$holds' in condition)) return condition
  return { $regex: String(condition.$holds).replace(/[\\^$.*+?()[\]{}|]/g, '\\$&'), $options: 'i' }
}

interface Own {
  /** Fields of the documents that are not in rows. */
  fields?: string[]
  /** Such fields with their values in a new document. With `state`, only documents with this state are rows. */
  initial?: Record<string, unknown> & { state?: string }
}

/** The number of the last batch that wrote the document. */
const unwritten = { seq: 0 }

/** By the name of the table. */
const ownFields: Record<string, Own> = {
  ...Object.fromEntries(journalTables.map(({ name }) => [name, { initial: unwritten }])),
  [pageTable.name]: { fields: ['goneAt'], initial: { state: 'current', ...unwritten } },
  [projectTable.name]: { initial: projectFields },
  [chatTable.name]: { initial: { state: 'open' } },
}

/** The fields of a new document that are not in rows. */
export const toInitial = ({ name }: Pick<Table<unknown>, 'name'>) => ownFields[name]?.initial ?? {}

export function createRows<
  Row extends { uuid: string },
  Document extends Stored<Row> & MongoRow = Stored<Row>,
>(db: MongoDb, table: Pick<Table<Row>, 'name' | 'unique' | 'isOfProject'>) {
  const { fields = [], initial = {} } = ownFields[table.name] ?? {}
  const documents = db.collection<Document>(toCollection(table))
  const own = [...fields, ...Object.keys(initial)]
  const projection = Object.fromEntries(own.map((field) => [field, 0]))

  function toConditions({ uuid, $or, ...filter }: Filter<Document>): Filter<Document> {
    const alternatives = $or as Filter<Document>[] | undefined
    return {
      ...(uuid !== undefined && { _id: toCondition(uuid) }),
      ...Object.fromEntries(Object.entries(filter).map(([field, value]) => [field, toCondition(value)])),
      ...(alternatives && { $or: alternatives.map(toConditions) }),
    } as Filter<Document>
  }

  function toFilter(filter: Filter<Document>): Filter<Document> {
    const { state } = initial
    return { ...toConditions(filter), ...(state && { state }) } as Filter<Document>
  }

  function toRow({ _id, ...values }: Document | WithId<Document>): Row {
    const row: Record<string, unknown> = { uuid: _id, ...values }
    for (const field of own) delete row[field]
    return row as Row
  }

  const toDocument = (row: Row) => ({ ...toStored(row), ...initial })

  /** Leaves out rows of deleted projects, and deleted sources, which may not be erased yet. */
  async function toRows(found: WithId<Document>[]): Promise<Row[]> {
    if (!table.isOfProject) return found.map(toRow)
    const projects = found.map(({ project }) => project)
    const open = await openProjects(db, projects)
    const isThere = ({ _id, project }: WithId<Document>) =>
      open.get(project)?.deletedSources.includes(_id as string) === false
    return found.filter(isThere).map(toRow)
  }

  async function read(filter: Filter<Document>, order?: string, { offset = 0, limit = 0 } = {}) {
    const found = documents.find(toFilter(filter), { projection, promoteBuffers: true })
    if (order !== undefined) found.sort(toOrder(order))
    return toRows(await found.skip(offset).limit(limit).toArray())
  }

  const toConflict = (error: unknown) =>
    isDuplicate(error) ? new Conflict(table.unique?.conflict ?? 'uuid') : error

  return {
    documents,
    toRow,
    one: async (filter: Filter<Document>): Promise<Row | null> => {
      const found = await documents.findOne(toFilter(filter), { projection, promoteBuffers: true })
      return found && ((await toRows([found]))[0] ?? null)
    },
    all: read,
    values: async (filter: Filter<Document>, field: string) =>
      table.isOfProject && !(await isOpen(db, filter.project))
        ? []
        : documents.distinct(field === 'uuid' ? '_id' : field, toFilter(filter)),
    pick: async (filter: Filter<Document>, picked: string[]) => {
      const only = Object.fromEntries(picked.map((field) => [field === 'uuid' ? '_id' : field, 1]))
      return (await documents.find(toFilter(filter), { projection: only }).toArray()).map(toRow)
    },
    count: (filter: Filter<Document>) => documents.countDocuments(toFilter(filter)),
    tally: async (filter: Filter<Document>, field: string) => {
      const groups = documents.aggregate<{ _id: unknown; count: number }>([
        { $match: toFilter(filter) },
        { $group: { _id: `$${field}`, count: { $sum: 1 } } },
      ])
      return (await groups.toArray()).map(({ _id, count }) => ({ value: _id, count }))
    },
    insertAll: (rows: Row[]) => insertMissing(documents, rows.map(toDocument) as unknown as Document[]),
    page: async (filter: Filter<Document>, order: string, request: PageRequest): Promise<Paged<Row>> => {
      if (table.isOfProject && !(await isOpen(db, filter.project))) return { count: 0, rows: [] }
      const rows = await read(filter, order, request)
      return { count: await documents.countDocuments(toFilter(filter)), rows }
    },
    insert: async (row: Row): Promise<boolean> => {
      if (table.isOfProject && !(await isOpen(db, (row as Row & { project: string }).project))) return false
      const document = toDocument(row) as unknown as OptionalUnlessRequiredId<Document>
      try {
        await documents.insertOne(document)
        return true
      } catch (error) {
        // Not every server reports which index has the duplicate.
        const same = { _id: row.uuid } as Filter<Document>
        if (!isDuplicate(error) || (await documents.countDocuments(same)) === 0) throw toConflict(error)
        return false
      }
    },
    set: async (filter: Filter<Document>, values: Partial<Document>): Promise<boolean> => {
      const [wanted, change] = [toFilter(filter), { $set: values }]
      try {
        // The driver retries only writes of one document.
        const isOne = typeof filter.uuid === 'string'
        const write = isOne ? documents.updateOne(wanted, change) : documents.updateMany(wanted, change)
        return (await write).matchedCount > 0
      } catch (error) {
        throw toConflict(error)
      }
    },
    increment: async (filter: Filter<Document>, field: string, by: number): Promise<Row | null> => {
      const change = { $inc: { [field]: by } } as UpdateFilter<Document>
      const changed = await documents.findOneAndUpdate(toFilter(filter), change, { returnDocument: 'after' })
      return changed && toRow(changed)
    },
    delete: async (filter: Filter<Document>): Promise<boolean> => {
      const wanted = toFilter(filter)
      const deletion =
        typeof filter.uuid === 'string' ? documents.deleteOne(wanted) : documents.deleteMany(wanted)
      return (await deletion).deletedCount > 0
    },
    clear: (filter: Filter<Document>) => deleteInSteps(documents, toFilter(filter)),
  }
}
