// The journal of a project on MongoDB: writes several documents atomically, without transactions, which FerretDB lacks.
//
//   1. Read the project's document: sequence n and no batch. If there is a batch of any process, apply it first.
//   2. Decide (../journal.ts). Store the bodies of new page versions, which readers do not see before a page refers to them.
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
import { createJournal as createSharedJournal, type Journal, type Write } from '../journal.ts'
import { pageTable } from '../page-rows.ts'
import type { MongoDb, MongoRow } from './connection.ts'
import { type Batch, openProjects, type ProjectRow, projectRows, readProject, toState } from './project.ts'
import { insertMissing, toStored } from './row.ts'
import { toCollection, toInitial } from './rows.ts'

/** The text of one version of a page. */
export interface Body extends MongoRow {
  project: string
  page: string
  text: Uint8Array
  /** Number of the batch that publishes it. */
  number: number
}

export const bodyRows = (db: MongoDb): Collection<Body> => db.collection<Body>('page_bodies')

/** A write in terms of documents. */
function toBatch(write: Write): Batch {
  if ('oldTexts' in write) return [{ oldBodies: write.oldTexts }]
  const to = toCollection(write.to)
  const { seq, ...initial } = toInitial(write.to)
  const toDocument = (row: { uuid: string }) => ({ ...toStored(row), ...initial })
  if ('insert' in write) return [{ to, insert: write.insert.map(toDocument) }]
  if ('set' in write) return [{ to, set: write.set.map(toStored) }]
  if ('put' in write) {
    const documents = write.put.map(toDocument)
    return [
      { to, insert: documents },
      { to, set: documents },
    ]
  }
  if (write.to.name !== pageTable.name) return [{ to, erase: write.erase }]
  const tombstone = { state: 'gone', goneAt: Date.now(), body: null, heldBy: null, pinned: false }
  return [{ to, set: write.erase.map((_id) => ({ _id, ...tombstone })) }]
}

export function createJournal(db: MongoDb): Journal {
  const projects = projectRows(db)

  async function finish(_id: string, sequence: number, batch: Batch): Promise<void> {
    for (const write of batch) await apply(db, sequence, write)
    await projects.updateOne({ _id, state: 'open', sequence }, { $set: { batch: null } })
  }

  async function settle(uuid: string): Promise<ProjectRow | null> {
    for (;;) {
      const row = await projects.findOne({ _id: uuid, state: 'open' })
      if (row === null || row.batch === null) return row
      await finish(uuid, row.sequence, row.batch)
    }
  }

  const settled = async (uuid: string) => {
    const row = await settle(uuid)
    return row && toState(row)
  }

  return createSharedJournal({
    project: (uuid) => readProject(db, uuid),
    projects: (uuids) => openProjects(db, uuids),
    settled,
    liveProjects: async () => {
      const open = await projects.find({ state: 'open', liveRun: { $gt: '' } }).toArray()
      // If the start of a run was interrupted, its row may not be written yet.
      const all = await Promise.all(open.map((row) => (row.batch === null ? toState(row) : settled(row._id))))
      return all.filter((project) => project !== null)
    },
    commit: async ({ uuid: _id, sequence }, { writes = [], project = {}, texts = [] }) => {
      const number = sequence + 1
      const bodies = texts.map(({ uuid, ...text }): Body => ({ _id: uuid, project: _id, ...text, number }))
      const batch = writes.flatMap(toBatch)
      await insertMissing(bodyRows(db), bodies)
      const { matchedCount } = await projects.updateOne(
        { _id, state: 'open', sequence, batch: null },
        { $set: { ...project, sequence: number, batch } },
      )
      if (matchedCount > 0) await finish(_id, number, batch)
      else await bodyRows(db).deleteMany({ _id: { $in: bodies.map((body) => body._id) } })
      return matchedCount > 0
    },
    pause: async () => {},
  })
}

interface Numbered extends MongoRow {
  /** Number of the batch that wrote it last. */
  seq: number
}

async function apply(db: MongoDb, number: number, write: Batch[number]): Promise<void> {
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
