// The journal of a project: writes several documents as one, without transactions, which FerretDB does not have.
// Everything that must change together with a project's pages, runs or counters goes through `write`.
//
//   1. Read the project's document: sequence n and no batch. A batch that is there is applied first, whoever left it.
//   2. Decide: read pages, frontier, run … and work out the writes. Store the bodies of new page versions,
//      which no reader sees before a page names them.
//   3. Link: { sequence: n, batch: null } → { sequence: n + 1, batch: writes }, with the changed fields of the project.
//      When another process was faster, begin again at 1.
//   4. Apply the writes in order, each to single documents and with absolute values.
//   5. Unlink: { batch: writes } → { batch: null }
//
// What it guarantees, however many processes write and wherever one is killed or held up:
//
// - A batch happens at its link, whole: its writer or the next one to call `write` or `settled` applies it.
// - A decision rests on what was there: no other batch was applied between steps 1 and 3. A run's fence is checked by
//   reading it, since `begin` and `finish` are batches too.
// - A process that applies an old batch late changes nothing: documents note in `seq` the batch that wrote them last, and
//   batch n changes only those with seq < n. Documents that are deleted do not come back: removed pages stay as tombstones
//   for an hour (cleanup.ts); other inserted rows are ones of ended runs or swept versions, which no reader sees.
// - Counters are exact: their values are written in the batch of what they count.
import type { Collection } from 'mongodb'
import { createSemaphore } from '../../semaphore.ts'
import type { Project } from '../project.ts'
import type { MongoDb, MongoRow } from './connection.ts'
import { findByIds, insertMissing, type Stored } from './row.ts'

/** A write to single documents of one collection. */
export type Write =
  /** Inserts documents that are not there. */
  | { to: string; insert: MongoRow[] }
  /** Sets fields of documents that are there. */
  | { to: string; set: MongoRow[] }
  /** Deletes documents. */
  | { to: string; erase: string[] }
  /** Deletes the bodies of earlier versions of these pages. */
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
  /** The live run; what is written under a fence is written while there is one. */
  liveRun: string | null
  /** Deleted sources that are still in the sets of pages. */
  deletedSources: string[]
  /** Number of the last batch, and its writes until they are applied. */
  sequence: number
  batch: Write[] | null
  /** Number of the last batch whose bodies cleanup.ts has checked. */
  bodiesChecked: number
}

export const projectRows = (db: MongoDb) => db.collection<ProjectRow>('projects')

export const withoutBatch = { projection: { batch: 0 } } as const

/** The project; null where it is gone. A linked batch may not be applied yet. */
export function readProject(db: MongoDb, uuid: string): Promise<ProjectRow | null> {
  return projectRows(db).findOne({ _id: uuid, state: 'open' }, withoutBatch)
}

/** Those of the projects that are there. */
export async function openProjects(db: MongoDb, uuids: Iterable<string>): Promise<Map<string, ProjectRow>> {
  const rows = await findByIds(projectRows(db), uuids, withoutBatch.projection)
  return new Map(rows.flatMap((row) => (row.state === 'open' ? [[row._id, row]] : [])))
}

/** Whether the project is there: what names it in another collection counts only while it is. */
export async function isOpen(db: MongoDb, uuid: string): Promise<boolean> {
  return (await readProject(db, uuid)) !== null
}

/** A write that sets fields; none without rows, so that nothing is linked for it. */
export const toSet = (to: string, set: MongoRow[]): Write[] => (set.length === 0 ? [] : [{ to, set }])

export interface Decision<Result> {
  result: Result
  /** In order. Without writes and project fields nothing is linked. */
  writes?: Write[]
  /** Fields of the project's document that change with them. */
  project?: Partial<Pick<ProjectRow, 'fence' | 'liveRun' | 'deletedSources' | 'indexedAt'>>
  bodies?: Body[]
}

export type Decide<Result> = (project: ProjectRow) => Promise<Decision<Result>>

export interface Journal {
  /** Decides and writes as one; calls `decide` again when another batch came between. Null when the project is gone. */
  write<Result>(project: string, decide: Decide<Result>): Promise<Result | null>
  /** The project once it has no linked batch; null when it is gone. */
  settled(project: string): Promise<ProjectRow | null>
}

/** Whether a write may go under the fence: that of the live run, or none (null, a recrawl). */
export function mayWrite(project: ProjectRow, fence: number | null): boolean {
  return fence === null || (project.fence === fence && project.liveRun !== null)
}

export function createJournal(db: MongoDb): Journal {
  const projects = projectRows(db)
  /** Calls of this process to one project wait for each other instead of competing. */
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

  /** Null when another process was faster. */
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
    write: (project, decide) => calls.run(project, () => write(project, decide)),
    settled: (project) => calls.run(project, () => read(project)),
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

/** One update for all documents that get the same fields: most outcomes of a batch are alike. */
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
