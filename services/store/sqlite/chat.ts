// Chats; their messages are in chat-message.ts. They have a file of their own: a turn writes on the event loop,
// where waiting for the write lock that a sync holds would hold everyone up.
import type { Chat, ChatStore } from '../chat.ts'
import { eraseChats } from './chat-cleanup.ts'
import { createChatMessages } from './chat-message.ts'
import type { Connection } from './connection.ts'
import { hasProject } from './project.ts'

const selection = `select uuid, team, project, created_at as createdAt, updated_at as updatedAt, title, email, metadata,
    url, message_count as messageCount, connection, writer, written_at as writtenAt
  from chat`

/** `db`: the file of chats; `main`: that of projects. */
export function createChats(db: Connection, main: Connection): ChatStore {
  return {
    ...createChatMessages(db, main),
    insert: async (chat) => {
      if (!hasProject(main, chat.project)) return
      db.run(
        `insert into chat (uuid, team, project, created_at, updated_at, title, email, metadata, url, message_count,
         connection, writer, written_at)
       values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) on conflict (uuid) do nothing`,
        chat.uuid,
        chat.team,
        chat.project,
        chat.createdAt,
        chat.updatedAt,
        chat.title,
        chat.email,
        chat.metadata,
        chat.url,
        chat.messageCount,
        chat.connection,
        chat.writer,
        chat.writtenAt,
      )
    },
    get: async (uuid) => {
      const row = db.get<Chat>(`${selection} where uuid = ?`, uuid)
      return row !== undefined && hasProject(main, row.project) ? { ...row } : null
    },
    list: async (project, { offset, limit }) => {
      if (!hasProject(main, project)) return { count: 0, rows: [] }
      return {
        count: db.get<{ n: number }>('select count(*) as n from chat where project = ?', project)!.n,
        rows: db
          .all<Chat>(
            `${selection} where project = ? order by created_at desc, uuid desc limit ? offset ?`,
            project,
            limit,
            offset,
          )
          .map((row) => ({ ...row })),
      }
    },
    delete: async (project, uuid) =>
      hasProject(main, project) &&
      db.run('delete from chat where uuid = ? and project = ?', uuid, project) > 0,
    deleteByEmail: async (project, email) => {
      if (!hasProject(main, project)) return 0
      const find = 'select id from chat where project = ? and email = ?'
      return eraseChats(db, Number.POSITIVE_INFINITY, find, project, email)
    },
    expire: async (project, before, limit) => {
      if (!hasProject(main, project)) return 0
      const find = 'select id from chat where project = ? and updated_at < ? order by updated_at, uuid'
      return eraseChats(db, limit, find, project, before)
    },
  }
}
