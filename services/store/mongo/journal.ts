// The journal of a project: writes several documents atomically, without transactions, which FerretDB lacks. All changes that must
// be consistent with a project's pages, runs or counters use `write`.
//
//   1. Read the project's document: sequence n and no batch. If there is a batch of any process, apply it first.
//   2. Decide: read pages, frontier, run … and compute the writes. Store the bodies of new page versions,
//      which readers do not see before a page refers to them.
//   3. Link: { sequence: n, batch: null } → { sequence: n + 1, batch: writes }, with the changed fields of the project.
//      If another process has linked a batch, start over at 1.
//   4. Apply the writes in order, each to single documents and with absolute values.
//   5. Unlink: { batch: writes } → { batch: null }
//
// Guarantees, for any number of processes, and if any of them crashes or stalls at any step:
//
// - A batch takes effect as a whole with its link. Its writer, or the next call of `write` or `settled`, applies it.
// - Decisions are based on current data: no other batch is applied between steps 1 and 3. A run's fence can be checked by
//   reading it, since `begin` and `finish` are batches too.
// - Applying an old batch late changes nothing: `seq` of a document is the number of the last batch that wrote it, and batch
//   n only changes documents with seq < n. Deleted documents do not reappear: removed pages stay as tombstones for an hour
//   (cleanup.ts); other inserted rows belong to ended runs or swept versions, which readers do not see.
// - Counters are exact: they are written in the same batch as the counted documents.
import type { Collection } from 'mongodb'
import { createSemaphore } from '../../semaphore.ts'
import type { Project } from '../project.ts'
import type { MongoDb, MongoRow } from './connection.ts'
import { findByIds, insertMissing, type Stored } from './row.ts'

/** A write to documents of one collection. */
export type Write =
  /** Inserts missing documents. */
  | { to: string; insert: MongoRow[] }
  /** Sets fields of existing documents. */
  | { to: string; set: MongoRow[] }
  /** Deletes documents. */
  | { to: string; erase: string[] }
  /** Deletes the bodies of previous versions of these pages. */
  | { oldBodies: string[] }

/** The text of one version of a page. */
export interface Body extends MongoRow {
  project: string
  page: string
  text: Uint8Array
  /** Number of the batch that publishes it. */
  number: number
}

export const bodyRows = (db: MongoDb): Collection<Body> => db.collection<Body>('page_bodies')

export interface ProjectRow extends Stored<Project> {
  state: 'open'
  fence: number
  /** The live run. Writes with a fence require one. */
  liveRun: string | null
  /** Deleted sources that pages still refer to. */
  deletedSources: string[]
  /** Number of the last batch, and its writes until they are applied. */
  sequence: number
  batch: Write[] | null
  /** Number of the last batch whose bodies cleanup.ts has checked. */
  bodiesChecked: number
}

export const projectRows = (db: MongoDb) => db.collection<ProjectRow>('projects')

export const withoutBatch = { projection: { batch: 0 } } as const

/** Null if the project is deleted. A linked batch may not be applied yet. */
export function readProject(db: MongoDb, uuid: string): Promise<ProjectRow | null> {
  return projectRows(db).findOne({ _id: uuid, state: 'open' }, withoutBatch)
}

/** The existing projects by UUID. */
export async function openProjects(db: MongoDb, uuids: Iterable<string>): Promise<Map<string, ProjectRow>> {
  const rows = await findByIds(projectRows(db), uuids, withoutBatch.projection)
  return new Map(rows.flatMap((row) => (row.state === 'open' ? [[row._id, row]] : [])))
}

/** Whether the project exists. Rows of other collections are valid only while it does. */
export async function isOpen(db: MongoDb, uuid: string): Promise<boolean> {
  return (await readProject(db, uuid)) !== null
}

/** A write that sets fields. Empty without rows, so that nothing is linked. */
export const toSet = (to: string, set: MongoRow[]): Write[] => (set.length === 0 ? [] : [{ to, set }])

export interface Decision<Result> {
  result: Result
  /** In order. Without writes and project fields, nothing is linked. */
  writes?: Write[]
  /** Changed fields of the project's document. */
  project?: Partial<Pick<ProjectRow, 'fence' | 'liveRun' | 'deletedSources' | 'indexedAt'>>
  bodies?: Body[]
}

export type Decide<Result> = (project: ProjectRow) => Promise<Decision<Result>>

export type Journal = ReturnType<typeof createJournal>

/** Whether a write with the fence is allowed: that of the live run, or null for a recrawl. */
export function mayWrite(project: ProjectRow, fence: number | null): boolean {
  return fence === null || (project.fence === fence && project.liveRun !== null)
}

export function createJournal(db: MongoDb) {
  const projects = projectRows(db)
  /** Serializes this process's calls for a project, so that they do not conflict. */
  const calls = createSemaphore({ max: Number.POSITIVE_INFINITY, maxOfGroup: 1 })

  async function finish({ _id, sequence }: ProjectRow, writes: Write[]): Promise<void> {
    for (const write of writes) await apply(db, sequence, write)
    await projects.updateOne({ _id, state: 'open', sequence }, { $set: { batch: null } })
  }

  async function read(uuid: string): Promise<ProjectRow | null> {
    for (;;) {
      const row = await projects.findOne({ _id: uuid, state: 'open' })
      if (row === null || row.batch === null) return row
      await finish(row, row.batch)
    }
  }

  /** Null if another process has linked a batch. */
  async function attempt<Result>(
    row: ProjectRow,
    decide: Decide<Result>,
  ): Promise<{ result: Result } | null> {
    const { result, writes = [], project = {}, bodies = [] } = await decide(row)
    if (writes.length === 0 && Object.keys(project).length === 0) return { result }
    const { _id, sequence } = row
    const next = { ...project, sequence: sequence + 1 }
    await insertMissing(bodyRows(db), bodies)
    const { matchedCount } = await projects.updateOne(
      { _id, state: 'open', sequence, batch: null },
      { $set: { ...next, batch: writes } },
    )
    if (matchedCount > 0) {
      await finish({ ...row, ...next }, writes)
      return { result }
    }
    await bodyRows(db).deleteMany({ _id: { $in: bodies.map((body) => body._id) } })
    return null
  }

  async function write<Result>(project: string, decide: Decide<Result>): Promise<Result | null> {
    for (;;) {
      const row = await read(project)
      if (row === null) return null
      const done = await attempt(row, decide)
      if (done !== null) return done.result
    }
  }

  return {
    /** Decides and writes atomically. Repeats `decide` if another batch was linked meanwhile. Null if the project is deleted. */
    write: <Result>(project: string, decide: Decide<Result>) =>
      calls.run(project, () => write(project, decide)),
    /** Applies a linked batch and returns the project. Null if it is deleted. */
    settled: (project: string) => calls.run(project, () => read(project)),
  }
}

interface Numbered extends MongoRow {
  /** Number of the batch that wrote it last. */
  seq: number
}

async function apply(db: MongoDb, number: number, write: Write): Promise<void> {
  if ('oldBodies' in write) {
    await bodyRows(db).deleteMany({ page: { $in: write.oldBodies }, number: { $lt: number } })
    return
  }
  const rows = db.collection<Numbered>(write.to)
  if ('insert' in write) {
    const numbered = write.insert.map((row) => ({ ...row, seq: number }))
    await insertMissing(rows, numbered)
  } else if ('set' in write) {
    if (write.set.length > 0) await rows.bulkWrite(toUpdates(write.set, number), { ordered: false })
  } else if (write.erase.length > 0) {
    await rows.deleteMany({ _id: { $in: write.erase }, seq: { $not: { $gte: number } } })
  }
}

/** Creates one update for all documents with the same fields: most outcomes of a batch are equal. */
function toUpdates(set: MongoRow[], number: number) {
  const alike = Map.groupBy(set, ({ _id, ...fields }) => JSON.stringify(fields))
  return [...alike.values()].map((rows) => {
    const { _id, ...fields } = rows[0]!
    const ids = rows.map((row) => row._id)
    return {
      updateMany: {
        filter: { _id: { $in: ids }, seq: { $lt: number } },
        update: { $set: { ...fields, seq: number } },
      },
    }
  })
}
