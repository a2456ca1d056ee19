// What deleted projects and erased chats leave behind. Their document has become a tombstone, which takes them out of
// every answer; here the rest is cleared, by whatever process comes first: a killed one leaves the tombstone to others.
import type { ChatTombstone } from './chat-row.ts'
import type { MongoDb, MongoRow } from './connection.ts'
import type { ProjectTombstone } from './project-row.ts'
import { deleteInSteps } from './row.ts'

/** Collections whose rows belong to a project and name it in `project`. */
const ofProject = [
  'analytics_days',
  'analytics_events',
  'batches',
  'chat_days',
  'chats',
  'chat_messages',
  'frontier',
  'listings',
  'page_bodies',
  'pages',
  'recrawls',
  'run_events',
  'runs',
  'sources',
  'swept_versions',
  'vocabularies',
  'vocabulary_chunks',
]

/**
 * Milliseconds that a tombstone stays, and is cleared again and again: a process that was held up in the middle of a write
 * may come to its end only after the first clearing.
 */
const tombstoneStays = 3_600_000

/** Milliseconds from one clearing to the next. */
const pause = 600_000

interface ProjectPart extends MongoRow {
  project: string
}

export interface Cleanup {
  /** Milliseconds since 1970; what tombstones are dated with. */
  now(): number
  /** Clears what every tombstone leaves. */
  run(): Promise<void>
  /** Clears later, without anyone waiting for it. */
  schedule(): void
  /** Clears now and then from here on, until `stop`. */
  begin(): void
  /** Resolves when nothing is being cleared any more; the next process goes on with it. */
  stop(): Promise<void>
}

export function createCleanup(db: MongoDb, now: () => number): Cleanup {
  const projects = db.collection<ProjectTombstone>('projects')
  const chats = db.collection<ChatTombstone>('chats')
  const messages = db.collection<MongoRow & { chat: string }>('chat_messages')
  let stopped = false
  let running: Promise<void> = Promise.resolve()
  let timer: NodeJS.Timeout | undefined

  async function clearProjects(): Promise<void> {
    for await (const { _id, goneAt } of projects.find({ state: 'gone' })) {
      for (const part of ofProject) {
        if (stopped) return
        await deleteInSteps(db.collection<ProjectPart>(part), { project: _id })
      }
      if (goneAt <= now() - tombstoneStays) await projects.deleteOne({ _id, state: 'gone' })
    }
  }
  async function clearChats(): Promise<void> {
    for await (const { _id, goneAt } of chats.find({ state: 'gone' })) {
      if (stopped) return
      await deleteInSteps(messages, { chat: _id })
      if (goneAt <= now() - tombstoneStays) await chats.deleteOne({ _id, state: 'gone' })
    }
  }
  async function run(): Promise<void> {
    await clearProjects()
    await clearChats()
  }
  function schedule(): void {
    // A failure leaves the tombstones where they are: the next cleanup goes on with them.
    running = running.then(() => (stopped ? undefined : run())).catch(() => {})
  }

  return {
    now,
    run,
    schedule,
    begin: () => {
      schedule()
      timer = setInterval(schedule, pause).unref()
    },
    stop: async () => {
      stopped = true
      clearInterval(timer)
      await running
    },
  }
}
