// A project is one document (journal.ts). Deleting a project or a chat replaces it by a tombstone,
// which hides all its data atomically. cleanup.ts deletes the rest.
import type { Filter } from 'mongodb'
import type { Chat } from '../chat.ts'
import type { Cleanup, Tombstone } from './cleanup.ts'
import type { MongoDb, MongoRow } from './connection.ts'
import type { ProjectRow } from './journal.ts'
import { deleteInSteps, type Stored } from './row.ts'

/** Its slug is not a valid slug of a project. */
interface ProjectTombstone extends Tombstone {
  slug: string
}

const journal = { fence: 0, liveRun: null, deletedSources: [], sequence: 0, batch: null, bodiesChecked: 0 }
/** Fields of a new document that are not in rows. */
export const initial = { state: 'open', ...journal } as const satisfies Partial<ProjectRow>

export const createProjectRemoval =
  (db: MongoDb, cleanup: Cleanup) =>
  async (uuid: string): Promise<boolean> => {
    const tombstones = db.collection<ProjectRow | ProjectTombstone>('projects')
    const tombstone = { state: 'gone', slug: `gone/${uuid}`, goneAt: cleanup.now() } as const
    const { matchedCount } = await tombstones.replaceOne({ _id: uuid, state: 'open' }, tombstone)
    if (matchedCount > 0) cleanup.schedule()
    return matchedCount > 0
  }

type ChatRow = (Stored<Chat> & { state: 'open' }) | (Tombstone & { project: string })

/** Its messages are deleted at once. The tombstone is for those that a crashed process leaves. */
export const createChatRemoval =
  (db: MongoDb, cleanup: Cleanup) =>
  async ({ uuid, ...filter }: Filter<ChatRow>): Promise<boolean> => {
    const chats = db.collection<ChatRow>('chats')
    const open = { ...filter, _id: uuid, state: 'open' } as Filter<ChatRow>
    const chat = await chats.findOne(open)
    if (chat === null) return false
    const tombstone = { project: chat.project, state: 'gone', goneAt: cleanup.now() } as const
    const { matchedCount } = await chats.replaceOne(open, tombstone)
    const messages = db.collection<MongoRow & { chat: string }>('chat_messages')
    if (matchedCount > 0) await deleteInSteps(messages, { chat: chat._id })
    return matchedCount > 0
  }
