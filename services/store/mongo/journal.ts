// Writing several documents as one, without transactions: the journal of a project. publish, settle and everything else
// that must change together with a project's pages, runs or counters goes through `write`. Follows store.ts.
//
// A batch is a list of writes to single documents, absolute values only, worked out from what was read. It goes like this:
//
//   1. read the project's document: sequence n, no batch linked (one that is, is applied first, whoever left it)
//   2. decide: read pages, frontier, run …, and work out the writes
//   3. keep the batch as a document, number n + 1; bring what nobody can see yet (bodies, drafts of pages)
//   4. link: { sequence: n, batch: null } → { sequence: n + 1, batch: id } together with the project's own fields (fence,
//      live run, counters, sources that leave). If another was faster, begin again at 1
//   5. apply the writes, in order
//   6. unlink: { batch: id } → { batch: null }
//
// What holds, however many handles write and wherever one is killed:
//
// - The link is where a batch happens. Before it nothing can be seen of it; after it, it will be applied by its writer or
//   by whoever comes next (`write` and `settled` apply what is linked before they do anything else).
// - Between a project's reading at n and a link at n + 1 no other batch was applied: the sequence says so. So what was
//   decided rests on what was there, and a run's fence is checked by being read: `begin` and `finish` are batches too. When
//   `begin` has answered, a batch of the run before it is either applied or will never be linked.
// - A document notes in `seq` the number of the batch that wrote it last, and a write of batch n changes it only where
//   seq < n. One who applies a batch that has long been applied (held up for an hour, say) changes nothing.
// - Documents that may go and come back (pages) are brought as drafts with seq 0 before the link, and applying only updates;
//   they are dropped at exactly the seq at which they were found. So nobody who comes late brings one back. A draft that
//   was never published is like a removed page: the next publication goes over it.
// - All other documents that batches insert never come back once they are deleted; who comes late may leave a row of
//   an ended run or a swept version, which nobody sees (the run is not live) or whose sweep changes nothing.
// - Counters are written as values, in the batch of what they count: they are exact, not merely corrected later.
// - A batch that was never linked leaves its document and bodies, which run-cleanup.ts clears.
import { type Filter, ObjectId } from 'mongodb'
import type { MongoDb, MongoRow } from './connection.ts'
import { applyBatch, type Batch, type Body, batches, bodies, type Write } from './journal-batch.ts'
import type { ProjectRow } from './project-row.ts'
import { insertMissing } from './row.ts'

/** What the project's document holds for its journal; absent where nothing has been written yet. */
export interface JournalFields {
  fence: number
  /** The run that is live; what is written under a fence is written while there is one. */
  liveRun: string | null
  /** Pages that are there. */
  pageCount: number
  /** Number of pages that list a source, by its uuid. */
  listed: Record<string, number>
  /** Sources that are deleted and still in the sets of pages. */
  leaving: string[]
  indexedAt: string | null
}

export type JournalRow = ProjectRow & Partial<JournalFields> & { sequence?: number; batch?: string | null }

/** The project as a batch finds it. */
export interface OpenProject extends JournalFields {
  uuid: string
  team: string
}

export interface Decision<Result> {
  result: Result
  /** In order; without any, nothing is linked. */
  writes?: Write[]
  /** Fields of the project's document that change with them. */
  project?: Partial<JournalFields>
  /** Pages that are not there yet: brought before the link in a state in which nobody sees them. */
  drafts?: MongoRow[]
  bodies?: Body[]
}

export interface Journal {
  /**
   * Decides and writes as one; `decide` is called again when another batch came between. `batch` is an id for what only
   * this attempt brings. Null when the project is gone.
   */
  write<Result>(
    project: string,
    decide: (project: OpenProject, batch: string) => Promise<Decision<Result>>,
  ): Promise<Result | null>
  /** The project, once no batch is linked to it any more; null when it is gone. */
  settled(project: string): Promise<OpenProject | null>
}

export function toOpenProject(row: JournalRow): OpenProject {
  return {
    uuid: row._id,
    team: row.team,
    fence: row.fence ?? 0,
    liveRun: row.liveRun ?? null,
    pageCount: row.pageCount ?? 0,
    listed: row.listed ?? {},
    leaving: row.leaving ?? [],
    indexedAt: row.indexedAt,
  }
}

/** Whether a write may go under the fence: that of the live run, or none (null, a recrawl). */
export function mayWrite(project: OpenProject, fence: number | null): boolean {
  return fence === null || (project.fence === fence && project.liveRun !== null)
}

export function createJournal(db: MongoDb): Journal {
  const projects = db.collection<JournalRow>('projects')
  /** The last write of this handle by project: those to one project wait for each other instead of getting in their way. */
  const lastWrites = new Map<string, Promise<unknown>>()

  function unlink(project: string, batch: string) {
    return projects.updateOne({ _id: project, state: 'open', batch }, { $set: { batch: null } })
  }

  /** Applies a linked batch, and unlinks it. */
  async function finish(batch: Batch): Promise<void> {
    await applyBatch(db, batch)
    await unlink(batch.project, batch._id)
    await batches(db).deleteOne({ _id: batch._id })
  }

  async function read(uuid: string): Promise<JournalRow | null> {
    let missed: string | null = null
    for (;;) {
      const row = await projects.findOne({ _id: uuid })
      if (row?.state !== 'open') return null
      if (row.batch == null) return row
      const batch = await batches(db).findOne({ _id: row.batch })
      if (batch !== null) await finish(batch)
      // Somebody else has just finished it: it was unlinked before it went. If it still is linked now, it was lost, as in a
      // backup that is not of one moment.
      else if (row.batch === missed) await unlink(uuid, row.batch)
      else missed = row.batch
    }
  }

  async function attempt<Result>(
    row: JournalRow,
    decide: (project: OpenProject, batch: string) => Promise<Decision<Result>>,
  ): Promise<{ result: Result } | null> {
    const id = new ObjectId().toHexString()
    const {
      result,
      writes = [],
      project = {},
      drafts = [],
      bodies: brought = [],
    } = await decide(toOpenProject(row), id)
    if (writes.length === 0 && Object.keys(project).length === 0) return { result }
    const number = (row.sequence ?? 0) + 1
    const batch: Batch = {
      _id: id,
      project: row._id,
      number,
      writes,
      bodies: brought.map(({ _id, page }) => ({ _id, page })),
    }
    await batches(db).insertOne(batch)
    if (await bring(id, drafts, brought)) {
      const unlinked = { _id: row._id, state: 'open', sequence: row.sequence ?? null, batch: null }
      const link = { $set: { ...project, sequence: number, batch: id } }
      const { matchedCount } = await projects.updateOne(unlinked as Filter<JournalRow>, link)
      if (matchedCount > 0) {
        await finish(batch)
        return { result }
      }
    }
    await bodies(db).deleteMany({ _id: { $in: brought.map((body) => body._id) } })
    await batches(db).deleteOne({ _id: id })
    return null
  }

  /** False when another's draft of one of the pages is there by now: it is to be gone over, not to be published. */
  async function bring(batch: string, drafts: MongoRow[], brought: Body[]): Promise<boolean> {
    if (brought.length > 0) await bodies(db).insertMany(brought, { ordered: false })
    if (drafts.length === 0) return true
    const pages = db.collection<MongoRow>('pages')
    await insertMissing(
      pages,
      drafts.map((draft) => ({ ...draft, seq: 0, draft: batch })),
    )
    const ids = drafts.map((draft) => draft._id)
    return (await pages.countDocuments({ _id: { $in: ids }, draft: batch })) === drafts.length
  }

  async function write<Result>(
    project: string,
    decide: (project: OpenProject, batch: string) => Promise<Decision<Result>>,
  ): Promise<Result | null> {
    for (;;) {
      const row = await read(project)
      if (row === null) return null
      const done = await attempt(row, decide)
      if (done !== null) return done.result
    }
  }

  /** Runs when what this handle has begun on the project before has ended. */
  async function withLock<Result>(project: string, work: () => Promise<Result>): Promise<Result> {
    const before = lastWrites.get(project) ?? Promise.resolve()
    const done = before.then(work, work)
    lastWrites.set(project, done)
    try {
      return await done
    } finally {
      if (lastWrites.get(project) === done) lastWrites.delete(project)
    }
  }

  return {
    write: (project, decide) => withLock(project, () => write(project, decide)),
    settled: (project) =>
      withLock(project, async () => {
        const row = await read(project)
        return row === null ? null : toOpenProject(row)
      }),
  }
}
