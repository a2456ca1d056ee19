// Chats (decisions.md section 5, "Chat"); their messages are in chat-message.ts.
import type { Chat, ChatStore } from '../chat.ts'
import { createChatMessages } from './chat-message.ts'
import type { Connection } from './connection.ts'
import { othersTurn } from './turns.ts'

/** Chats erased in one transaction: a chat takes its messages and traces along. */
const atOnce = 10

const selection = `select chat.uuid, chat.team, project.uuid as project, chat.created_at as createdAt,
    chat.updated_at as updatedAt, chat.title, chat.email, chat.metadata, chat.url, chat.message_count as messageCount,
    chat.connection, chat.writer, chat.written_at as writtenAt
  from project join chat on chat.project = project.id`

/** Erases the chats whose row ids `find` answers, at most `limit`, a few at a time; answers how many went. */
const erase = async (
  db: Connection,
  limit: number,
  find: string,
  ...values: [string, string]
): Promise<number> => {
  let erased = 0
  for (;;) {
    const most = Math.min(atOnce, limit - erased)
    const went = db.run(`delete from chat where id in (${find} limit ?)`, ...values, most)
    erased += went
    if (went < atOnce || erased >= limit) return erased
    await othersTurn()
  }
}

export const createChats = (db: Connection): ChatStore => ({
  ...createChatMessages(db),
  insert: async (chat) => {
    db.run(
      `insert into chat (project, uuid, team, created_at, updated_at, title, email, metadata, url, message_count,
         connection, writer, written_at)
       select id, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ? from project where uuid = ? on conflict (uuid) do nothing`,
      chat.uuid,
      chat.team,
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
      chat.project,
    )
  },
  get: async (uuid) => {
    const row = db.get<Chat>(`${selection} where chat.uuid = ?`, uuid)
    return row === undefined ? null : { ...row }
  },
  list: async (project, { offset, limit }) => ({
    count: db.get<{ n: number }>(
      'select count(*) as n from project join chat on chat.project = project.id where project.uuid = ?',
      project,
    )!.n,
    rows: db
      .all<Chat>(
        `${selection} where project.uuid = ? order by chat.created_at desc, chat.uuid desc limit ? offset ?`,
        project,
        limit,
        offset,
      )
      .map((row) => ({ ...row })),
  }),
  delete: async (project, uuid) =>
    db.run(
      'delete from chat where uuid = ? and project = (select id from project where uuid = ?)',
      uuid,
      project,
    ) > 0,
  deleteByEmail: (project, email) =>
    erase(
      db,
      Number.POSITIVE_INFINITY,
      'select id from chat where project = (select id from project where uuid = ?) and email = ?',
      project,
      email,
    ),
  expire: (project, before, limit) =>
    erase(
      db,
      limit,
      `select id from chat where project = (select id from project where uuid = ?) and updated_at < ?
       order by updated_at, uuid`,
      project,
      before,
    ),
})
