// What deleted projects and sources, erased chats, ended runs and killed writers leave behind. It is out of every answer
// already; any process deletes the rest, and the next one goes on with what a killed one has left.

import type { Filter } from 'mongodb'
import { maxRuns, runsWithEvents } from '../run.ts'
import type { MongoDb, MongoRow } from './connection.ts'
import { bodyRows, type Journal, projectRows } from './journal.ts'
import { pageRows } from './page-row.ts'
import { chunked, deleteInSteps, findByIds } from './row.ts'
import { newestFirst, runRows } from './run-row.ts'
import { clearDeletedSources } from './source.ts'

/** Collections whose rows name a project in `project`. */
const ofProject = [
  'addresses',
  'analytics_days',
  'analytics_events',
  'chat_days',
  'chats',
  'chat_messages',
  'listings',
  'page_bodies',
  'pages',
  'recrawls',
  'run_events',
  'runs',
  'sources',
  'swept_versions',
  'vocabularies',
]

/**
 * Milliseconds that a tombstone stays, and is cleared again and again: a process that was held up in the middle of a write
 * may come to its end only after the first clearing.
 */
const tombstoneMs = 3_600_000

/** Milliseconds from one clearing to the next. */
const cleanupInterval = 600_000

/** Bodies looked at in one step. */
const maxBodies = 500

/** A row of any collection, by what it belongs to. */
interface OwnedRow extends MongoRow {
  project: string
  run: string
  chat: string
}

/** What a deleted project or an erased chat leaves until everything of it is deleted: nothing of what was in it. */
export interface Tombstone {
  _id: string
  state: 'gone'
  /** Milliseconds since 1970. */
  goneAt: number
}

export interface Cleanup {
  /** Milliseconds since 1970; what tombstones are dated with. */
  now(): number
  /** Deletes all that there is to delete. */
  run(): Promise<void>
  /** Runs later, without anyone waiting for it. */
  schedule(): void
  /** Runs now and then from here on, until `stop`. */
  begin(): void
  /** Resolves when nothing is being deleted any more. */
  stop(): Promise<void>
}

export function createCleanup(db: MongoDb, journal: Journal, now: () => number): Cleanup {
  const runs = runRows(db)
  let isStopped = false
  let running: Promise<void> = Promise.resolve()
  let timer: NodeJS.Timeout | undefined

  /** Deletes what the filter finds. Throws when the cleanup is stopped. */
  async function clear(collections: string[], filter: Filter<OwnedRow>): Promise<void> {
    for (const name of collections) {
      if (isStopped) throw new Error('The cleanup is stopped.')
      await deleteInSteps(db.collection<OwnedRow>(name), filter)
    }
  }

  async function clearTombstones(
    collection: 'projects' | 'chats',
    clearOne: (uuid: string) => Promise<void>,
  ): Promise<void> {
    const before = now() - tombstoneMs
    const tombstones = db.collection<Tombstone>(collection)
    for await (const { _id, goneAt } of tombstones.find({ state: 'gone' })) {
      await clearOne(_id)
      if (goneAt <= before) await tombstones.deleteOne({ _id, state: 'gone' })
    }
  }

  /** Deletes old event logs, frontiers of ended runs, then old runs. */
  async function clearRuns(): Promise<void> {
    const ended = await runs.find({ frontier: 'ended' }).toArray()
    for (const [project, rows] of Map.groupBy(ended, (row) => row.project)) {
      const known = await runs
        .find({ project }, { projection: { _id: 1 } })
        .sort(newestFirst)
        .toArray()
      const uuids = known.map(({ _id }) => _id)
      const withoutLog = { $in: uuids.slice(runsWithEvents) }
      await runs.updateMany({ _id: withoutLog }, { $set: { isLogGone: true } })
      await clear(['run_events'], { run: withoutLog })
      for (const { _id } of rows) {
        await clear(['listings'], { run: _id })
        await runs.updateOne({ _id, frontier: 'ended' }, { $set: { frontier: 'cleared' } })
      }
      // A batch may still write to a run that is about to end: the next cleanup removes it.
      await runs.deleteMany({ _id: { $in: uuids.slice(maxRuns) }, frontier: 'cleared' })
    }
  }

  /**
   * Deletes bodies that no page names and no batch will publish any more: their writer was killed before the link, or the
   * page has another version by now. Looks at bodies of batches since the last time.
   */
  async function clearBodies(uuid: string): Promise<void> {
    const project = await journal.settled(uuid)
    if (project === null) return
    const { bodiesChecked, sequence } = project
    const since = bodyRows(db).find(
      { project: uuid, number: { $gt: bodiesChecked, $lte: sequence } },
      { projection: { page: 1 } },
    )
    for await (const bodies of chunked(since, maxBodies)) {
      const uuids = bodies.map(({ page }) => page)
      const pages = await findByIds(pageRows(db), uuids, { body: 1 })
      const used = new Set(pages.map(({ body }) => body))
      const unused = bodies.flatMap(({ _id }) => (used.has(_id) ? [] : [_id]))
      await bodyRows(db).deleteMany({ _id: { $in: unused } })
    }
    await projectRows(db).updateOne({ _id: uuid, state: 'open' }, { $set: { bodiesChecked: sequence } })
  }

  async function clearPages(): Promise<void> {
    const fields = { deletedSources: 1, sequence: 1, bodiesChecked: 1 }
    const projects = await projectRows(db).find({ state: 'open' }, { projection: fields }).toArray()
    for (const { _id, deletedSources, sequence, bodiesChecked } of projects) {
      if (deletedSources.length > 0) await clearDeletedSources(db, journal, _id)
      if (sequence === bodiesChecked) continue
      await clearBodies(_id)
      await clear(['pages'], { project: _id, state: 'gone', goneAt: { $lte: now() - tombstoneMs } })
    }
  }

  async function run(): Promise<void> {
    await clearTombstones('projects', (project) => clear(ofProject, { project }))
    await clearTombstones('chats', (chat) => clear(['chat_messages'], { chat }))
    await clearRuns()
    await clearPages()
  }

  function schedule(): void {
    // A failure leaves the rest to the next cleanup.
    running = running.then(() => (isStopped ? undefined : run())).catch(() => {})
  }

  return {
    now,
    run,
    schedule,
    begin: () => {
      schedule()
      timer = setInterval(schedule, cleanupInterval).unref()
    },
    stop: async () => {
      isStopped = true
      clearInterval(timer)
      await running
    },
  }
}
