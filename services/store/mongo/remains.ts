// What deleted projects and erased chats leave behind. Their document has become a tombstone, which takes them out of
// every answer; here the rest is cleared, by whatever process comes first: a killed one leaves the tombstone to others.
import type { ChatTombstone } from './chat-row.ts'
import type { MongoDb, MongoRow } from './connection.ts'
import type { ProjectTombstone } from './project.ts'
import { deleteInSteps } from './row.ts'

/** Collections whose rows belong to a project and name it in `project`. */
const ofProject = [
  'analytics_events',
  'batches',
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

export interface Remains {
  /** Milliseconds since 1970; what tombstones are dated with. */
  now(): number
  /** Clears what every tombstone leaves. */
  clear(): Promise<void>
  /** Clears later, without anyone waiting for it. */
  clearSoon(): void
  /** Clears now and then from here on, until `stop`. */
  begin(): void
  /** Resolves when nothing is being cleared any more; the next process goes on with it. */
  stop(): Promise<void>
}

export const createRemains = (db: MongoDb, now: () => number): Remains => {
  const projects = db.collection<ProjectTombstone>('projects')
  const chats = db.collection<ChatTombstone>('chats')
  const messages = db.collection<MongoRow & { chat: string }>('chat_messages')
  let stopped = false
  let clearing: Promise<void> = Promise.resolve()
  let timer: NodeJS.Timeout | undefined

  const clearProjects = async (): Promise<void> => {
    for await (const { _id, goneAt } of projects.find({ state: 'gone' })) {
      for (const part of ofProject) {
        if (stopped) return
        await deleteInSteps(db.collection<ProjectPart>(part), { project: _id })
      }
      if (goneAt <= now() - tombstoneStays) await projects.deleteOne({ _id, state: 'gone' })
    }
  }
  const clearChats = async (): Promise<void> => {
    for await (const { _id, goneAt } of chats.find({ state: 'gone' })) {
      if (stopped) return
      await deleteInSteps(messages, { chat: _id })
      if (goneAt <= now() - tombstoneStays) await chats.deleteOne({ _id, state: 'gone' })
    }
  }
  const clear = async (): Promise<void> => {
    await clearProjects()
    await clearChats()
  }
  const clearSoon = (): void => {
    // A failure leaves the tombstones where they are: the next clearing takes them up.
    clearing = clearing.then(() => (stopped ? undefined : clear())).catch(() => {})
  }

  return {
    now,
    clear,
    clearSoon,
    begin: () => {
      clearSoon()
      timer = setInterval(clearSoon, pause).unref()
    },
    stop: async () => {
      stopped = true
      clearInterval(timer)
      await clearing
    },
  }
}
