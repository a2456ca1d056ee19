// Chats; their messages are in chat-message.ts. They have a file of their own: a turn writes on the event loop,
// where waiting for the write lock that a sync holds would hold everyone up.
import type { Chat, ChatStore } from '../chat.ts'
import { eraseChats } from './chat-cleanup.ts'
import { type ChatCounts, createChatMessages } from './chat-message.ts'
import type { Connection } from './connection.ts'
import { hasProject } from './project.ts'
import { createTable, readPage, type Values } from './table.ts'

const chats = createTable<Chat>('chat', {
  plain:
    'uuid team project createdAt updatedAt title email metadata url messageCount connection writer writtenAt',
})

/** `db`: the file of chats; `main`: that of projects. */
export function createChats(db: Connection, main: Connection, counts: ChatCounts): ChatStore {
  return {
    ...counts.counted,
    ...createChatMessages(db, main, counts),
    insert: async (chat) => {
      if (!hasProject(main, chat.project)) return
      db.run(
        `insert into chat (${chats.names}) values (${chats.parameters}) on conflict (uuid) do nothing`,
        chats.values(chat),
      )
    },
    get: async (uuid) => {
      const row = db.get<Values<Chat>>(`select ${chats.columns} from chat where uuid = ?`, uuid)
      const chat = chats.toRowOrNull(row)
      return chat !== null && hasProject(main, chat.project) ? chat : null
    },
    list: async (project, page) => {
      if (!hasProject(main, project)) return { count: 0, rows: [] }
      const newestFirst = 'created_at desc, uuid desc'
      return readPage(
        db,
        chats,
        { from: 'from chat where project = ?', values: [project], order: newestFirst },
        page,
      )
    },
    delete: async (project, uuid) =>
      hasProject(main, project) &&
      (await eraseChats(db, counts, 1, 'select id from chat where uuid = ? and project = ?', uuid, project)) >
        0,
    deleteByEmail: async (project, email) => {
      if (!hasProject(main, project)) return 0
      const find = 'select id from chat where project = ? and email = ?'
      return eraseChats(db, counts, Number.POSITIVE_INFINITY, find, project, email)
    },
    expire: async (project, before, limit) => {
      if (!hasProject(main, project)) return 0
      const find = 'select id from chat where project = ? and updated_at < ? order by updated_at, uuid'
      return eraseChats(db, counts, limit, find, project, before)
    },
  }
}
