// Messages of chats and the traces of answers (decisions.md section 5, "Chat").
import { Conflict } from '../../errors.ts'
import type { ChatMessage, ChatStore, Trace } from '../chat.ts'
import type { Connection } from './connection.ts'

type MessageRow = Omit<ChatMessage, 'sources' | 'incomplete' | 'continuationAvailable'> & {
  sources: string
  incomplete: number
  continuationAvailable: number
}

/** Messages with their chat and project; the condition is appended. */
const selection = `select message.uuid, chat.team, project.uuid as project, chat.uuid as chat, message.position,
    message.role, message.content, message.created_at as createdAt, message.sources, message.feedback, message.comment,
    message.incomplete, message.stop_reason as stopReason, message.continuation_count as continuationCount,
    message.continuation_available as continuationAvailable, message.revision
  from chat_message message join chat on chat.id = message.chat join project on project.id = chat.project`

const toMessage = (row: MessageRow): ChatMessage => ({
  ...row,
  sources: JSON.parse(row.sources),
  incomplete: row.incomplete === 1,
  continuationAvailable: row.continuationAvailable === 1,
})

const insertMessage = (db: Connection, chat: number, message: ChatMessage): number =>
  db.insert(
    `insert into chat_message (uuid, chat, position, role, content, created_at, sources, feedback, comment, incomplete,
       stop_reason, continuation_count, continuation_available, revision)
     values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
    message.uuid,
    chat,
    message.position,
    message.role,
    message.content,
    message.createdAt,
    JSON.stringify(message.sources),
    message.feedback,
    message.comment,
    Number(message.incomplete),
    message.stopReason,
    message.continuationCount,
    Number(message.continuationAvailable),
    message.revision,
  )

const writeTrace = (db: Connection, message: number, trace: Trace): void => {
  db.run(
    'insert into chat_trace (message, body) values (?, ?) on conflict (message) do update set body = excluded.body',
    message,
    JSON.stringify(trace),
  )
}

type MessageMethods = 'append' | 'rewrite' | 'message' | 'messages' | 'trace' | 'react'

export const createChatMessages = (db: Connection): Pick<ChatStore, MessageMethods> => ({
  append: async (message, trace, writer) =>
    db.write(() => {
      const chat = db.get<{ id: number }>(
        'select chat.id from chat join project on project.id = chat.project where chat.uuid = ?',
        message.chat,
      )?.id
      if (chat === undefined) return false
      const holder = db.get<{ uuid: string }>(
        'select uuid from chat_message where uuid = ?1 or (chat = ?2 and position = ?3) order by uuid <> ?1',
        message.uuid,
        chat,
        message.position,
      )?.uuid
      if (holder === message.uuid) return true
      if (holder !== undefined) throw new Conflict('position')
      const id = insertMessage(db, chat, message)
      if (trace !== null) writeTrace(db, id, trace)
      db.run(
        'update chat set message_count = message_count + 1, updated_at = max(updated_at, ?) where id = ?',
        message.createdAt,
        chat,
      )
      if (writer !== null)
        db.run(
          'update chat set writer = ?1, written_at = ?2 where id = ?3 and written_at <= ?2',
          writer.hash,
          writer.at,
          chat,
        )
      return true
    }),
  rewrite: async (message, trace) =>
    db.write(() => {
      const row = db.get<{ id: number }>(
        `update chat_message set content = ?, sources = ?, incomplete = ?, stop_reason = ?, continuation_count = ?,
           continuation_available = ?, revision = ?
         where uuid = ? and revision = ?
           and chat in (select chat.id from chat join project on project.id = chat.project where chat.uuid = ?)
         returning id`,
        message.content,
        JSON.stringify(message.sources),
        Number(message.incomplete),
        message.stopReason,
        message.continuationCount,
        Number(message.continuationAvailable),
        message.revision,
        message.uuid,
        message.revision - 1,
        message.chat,
      )
      if (row !== undefined) writeTrace(db, row.id, trace)
      return row !== undefined
    }),
  message: async (uuid) => {
    const row = db.get<MessageRow>(`${selection} where message.uuid = ?`, uuid)
    return row === undefined ? null : toMessage(row)
  },
  messages: async (chat) =>
    db.all<MessageRow>(`${selection} where chat.uuid = ? order by message.position`, chat).map(toMessage),
  trace: async (message) => {
    const row = db.get<{ body: string }>(
      `select chat_trace.body from chat_message message join chat_trace on chat_trace.message = message.id
         join chat on chat.id = message.chat join project on project.id = chat.project
       where message.uuid = ?`,
      message,
    )
    return row === undefined ? null : JSON.parse(row.body)
  },
  react: async (message, { reaction, comment }) =>
    db.run(
      `update chat_message set feedback = ?, comment = ? where uuid = ? and role = 'assistant'
         and chat in (select chat.id from chat join project on project.id = chat.project where chat.id = chat_message.chat)`,
      reaction,
      comment,
      message,
    ) > 0,
})
