// Projects and their vocabularies. A project is one document (journal.ts). Deleting a project or a chat replaces it by a tombstone,
// which hides all its data atomically. cleanup.ts deletes the rest.
import { Binary, type Filter } from 'mongodb'
import type { Chat } from '../chat.ts'
import type { VocabularyStore } from '../project.ts'
import type { Cleanup, Tombstone } from './cleanup.ts'
import type { MongoDb, MongoRow } from './connection.ts'
import { isOpen, type ProjectRow } from './journal.ts'
import { deleteInSteps, type Stored, upserting } from './row.ts'

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

/** Terms are compressed: some three million fit into a document of 16 MB. */
interface VocabularyRow {
  _id: string
  project: string
  version: number
  terms: Binary
}

export function createVocabulary(db: MongoDb): VocabularyStore {
  const vocabularies = db.collection<VocabularyRow>('vocabularies')
  async function find(project: string, projection: Partial<Record<keyof VocabularyRow, 1>> = {}) {
    const [row, exists] = await Promise.all([
      vocabularies.findOne({ _id: project }, { projection }),
      isOpen(db, project),
    ])
    return exists ? row : null
  }

  return {
    version: async (project) => (await find(project, { version: 1 }))?.version ?? 0,
    read: async (project) => {
      const row = await find(project)
      if (row === null) return null
      const { buffer, position } = row.terms
      return { version: row.version, terms: Uint8Array.from(buffer.subarray(0, position)) }
    },
    write: async (project, terms) => {
      if (!(await isOpen(db, project))) return 0
      const written = await upserting(() =>
        vocabularies.findOneAndUpdate(
          { _id: project },
          { $inc: { version: 1 }, $set: { project, terms: new Binary(terms) } },
          { returnDocument: 'after', upsert: true },
        ),
      )
      return written!.version
    },
  }
}
