// Chats; their messages are in chat-message.ts.
import type { Filter } from 'mongodb'
import type { ChatMeasure, ChatStore } from '../chat.ts'
import { createChatMessages, type MessageRow, readCounted, touchedBy } from './chat-message.ts'
import { type ChatRow, type ChatTombstone, fromChat, openChat, toChat } from './chat-row.ts'
import type { Cleanup } from './cleanup.ts'
import type { MongoDb } from './connection.ts'
import { createDayCounts } from './day-counts.ts'
import { openProject } from './project-row.ts'
import { deleteInSteps, insertMissing } from './row.ts'

/** Chats erased at once. */
const atOnce = 100

export function createChats(db: MongoDb, cleanup: Cleanup): ChatStore {
  const chats = db.collection<ChatRow>('chats')
  const rows = db.collection<ChatRow | ChatTombstone>('chats')
  const messages = db.collection<MessageRow>('chat_messages')
  const days = createDayCounts<ChatMeasure>(db, 'chat_days', async function* (project, day) {
    yield await readCounted(db, project, day)
  })

  /**
   * Erases the chats that the filter finds, oldest change first, at most `limit`; answers how many went. A chat is gone
   * with the one change that makes a tombstone of it, and only if the filter still finds it then.
   */
  async function erase(filter: Filter<ChatRow>, limit: number): Promise<number> {
    const open = { ...filter, state: 'open' } as Filter<ChatRow>
    let erased = 0
    while (erased < limit) {
      const found = await chats
        .find(open, { projection: { project: 1, changes: 1 } })
        .sort({ updatedAt: 1, _id: 1 })
        .limit(Math.min(atOnce, limit - erased))
        .toArray()
      if (found.length === 0) break
      const ofThem = { chat: { $in: found.map((row) => row._id) } }
      const said = await messages.find(ofThem).project<MessageRow>({ project: 1, createdAt: 1 }).toArray()
      const { matchedCount } = await days.changing(said.map(touchedBy), () =>
        rows.bulkWrite(
          // One that was written in since is found again: its messages are others.
          found.map(({ _id, project, changes }) => ({
            replaceOne: {
              filter: { ...open, _id, changes } as Filter<ChatRow | ChatTombstone>,
              replacement: { project, state: 'gone', goneAt: cleanup.now() },
            },
          })),
        ),
      )
      erased += matchedCount
      const gone = await rows
        .find({ _id: { $in: found.map((row) => row._id) }, state: 'gone' }, { projection: { _id: 1 } })
        .toArray()
      await deleteInSteps(messages, { chat: { $in: gone.map((row) => row._id) } })
    }
    return erased
  }

  return {
    daily: days.daily,
    keys: days.keys,
    ...createChatMessages(db, days),
    insert: async (chat) => {
      if (await openProject(db, chat.project)) await insertMissing(chats, [fromChat(chat)])
    },
    get: async (uuid) => {
      const row = await openChat(db, uuid)
      return row === null ? null : toChat(row)
    },
    list: async (project, { offset, limit }) => {
      if (!(await openProject(db, project))) return { count: 0, rows: [] }
      const newestFirst = chats.find({ project, state: 'open' }).sort({ createdAt: -1, _id: -1 })
      return {
        count: await chats.countDocuments({ project, state: 'open' }),
        rows: (await newestFirst.skip(offset).limit(limit).toArray()).map(toChat),
      }
    },
    delete: async (project, uuid) =>
      (await openProject(db, project)) && (await erase({ _id: uuid, project }, 1)) > 0,
    deleteByEmail: async (project, email) =>
      (await openProject(db, project)) ? erase({ project, email }, Number.POSITIVE_INFINITY) : 0,
    expire: async (project, before, limit) =>
      (await openProject(db, project)) ? erase({ project, updatedAt: { $lt: before } }, limit) : 0,
  }
}
