// Deletes the remains of deleted projects, sources and chats, of ended runs and of crashed writers. Readers no longer see them. Any
// process can run the cleanup, and continues that of a crashed one.

import type { Filter } from 'mongodb'
import type { Journal } from '../journal.ts'
import { createClearing } from '../nouns.ts'
import { pageTable } from '../page-rows.ts'
import type { Rows, Table } from '../rows.ts'
import type { MongoDb, MongoRow } from './connection.ts'
import { bodyRows } from './journal.ts'
import { projectRows, type Tombstone } from './project.ts'
import { chunked, deleteInSteps } from './row.ts'
import { createRows } from './rows.ts'

/** Collections whose rows name a project in `project`. */
const ofProject = [
  'addresses',
  'analytics_counted_days',
  'analytics_day_counts',
  'analytics_events',
  'chat_counted_days',
  'chat_day_counts',
  'chat_messages',
  'chats',
  'listings',
  'page_bodies',
  'pages',
  'recrawls',
  'run_events',
  'runs',
  'sources',
  'swept_versions',
  'term_lists',
]

/**
 * Milliseconds that a tombstone stays. Until then its remains are deleted repeatedly, because a slow process may still complete a
 * write after the first cleanup.
 */
const tombstoneMs = 3_600_000

/** Milliseconds between two cleanups. */
const cleanupInterval = 600_000

/** Bodies checked per step. */
const maxBodies = 500

/** A row of any collection, with its owners. */
interface OwnedRow extends MongoRow {
  project: string
  run: string
  chat: string
}

export type Cleanup = ReturnType<typeof createCleanup>

/** `now`: the time of tombstones, in milliseconds since 1970. */
export function createCleanup(db: MongoDb, journal: Journal, now: () => number) {
  const rows = <Row extends { uuid: string }>(table: Table<Row>) =>
    createRows<Row>(db, table) as unknown as Rows<Row>
  const { clearEndedRuns, clearDeletedSources } = createClearing({ rows, journal })
  let isStopped = false
  let running: Promise<void> = Promise.resolve()
  let timer: NodeJS.Timeout | undefined

  /** Deletes rows that match the filter. Throws if the cleanup is stopped. */
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

  /**
   * Deletes bodies that no page uses and no batch will publish: their writer crashed before the link, or the page has a newer
   * version. Checks the bodies of batches since the last cleanup.
   */
  async function clearBodies(uuid: string, bodiesChecked: number): Promise<void> {
    const project = await journal.settled(uuid)
    if (project === null) return
    const { sequence } = project
    const since = bodyRows(db).find(
      { project: uuid, number: { $gt: bodiesChecked, $lte: sequence } },
      { projection: { page: 1 } },
    )
    for await (const bodies of chunked(since, maxBodies)) {
      const uuids = bodies.map(({ page }) => page)
      const used = new Set(
        (await rows(pageTable).pick({ uuid: { $in: uuids } }, ['body'])).map(({ body }) => body),
      )
      const unused = bodies.flatMap(({ _id }) => (used.has(_id) ? [] : [_id]))
      await bodyRows(db).deleteMany({ _id: { $in: unused } })
    }
    await projectRows(db).updateOne({ _id: uuid, state: 'open' }, { $set: { bodiesChecked: sequence } })
  }

  async function clearPages(): Promise<void> {
    const fields = { deletedSources: 1, sequence: 1, bodiesChecked: 1 }
    const projects = await projectRows(db).find({ state: 'open' }, { projection: fields }).toArray()
    for (const { _id, deletedSources, sequence, bodiesChecked } of projects) {
      if (deletedSources.length > 0) await clearDeletedSources(_id)
      if (sequence === bodiesChecked) continue
      await clearBodies(_id, bodiesChecked)
      await clear(['pages'], { project: _id, state: 'gone', goneAt: { $lte: now() - tombstoneMs } })
    }
  }

  async function run(): Promise<void> {
    await clearTombstones('projects', (project) => clear(ofProject, { project }))
    await clearTombstones('chats', (chat) => clear(['chat_messages'], { chat }))
    await clearEndedRuns(() => isStopped)
    await clearPages()
  }

  function schedule(): void {
    // The next cleanup retries after a failure.
    running = running.then(() => (isStopped ? undefined : run())).catch(() => {})
  }

  return {
    now,
    run,
    schedule,
    /** Runs the cleanup regularly until `stop`. */
    begin: () => {
      schedule()
      timer = setInterval(schedule, cleanupInterval).unref()
    },
    /** Resolves once the current cleanup has stopped. */
    stop: async () => {
      isStopped = true
      clearInterval(timer)
      await running
    },
  }
}
