// Messages of chats and the traces of answers.
import { Conflict } from '../../errors.ts'
import {
  type ChatMessage,
  type ChatStore,
  type CountedMessage,
  messageCountsAs,
  type Trace,
} from '../chat.ts'
import type { Connection } from './connection.ts'
import { createDayCounts, type Place } from './day-counts.ts'
import { hasProject } from './project.ts'

type MessageRow = Omit<ChatMessage, 'sources' | 'incomplete' | 'continuationAvailable'> & {
  sources: string
  incomplete: number
  continuationAvailable: number
}

/** Messages with their chat; the condition is appended. */
const selection = `select message.uuid, chat.team, chat.project, chat.uuid as chat, message.position,
    message.role, message.content, message.created_at as createdAt, message.sources, message.feedback, message.comment,
    message.incomplete, message.stop_reason as stopReason, message.continuation_count as continuationCount,
    message.continuation_available as continuationAvailable, message.revision
  from chat_message message join chat on chat.id = message.chat`

type CountedRow = Omit<CountedMessage, 'sources'> & Place & { sources: string }

/** Of a message and its chat, as `messageCountsAs` wants them. */
const countedColumns = `message.created_at as at, message.uuid as id, message.role, message.position, message.sources, message.feedback, chat.email, chat.url,
  (select json_extract(body, '$.verdict') from chat_trace where message = message.id) as verdict,
  (select content from chat_message asked where asked.chat = message.chat and asked.position = message.position - 1) as question`

function toMessage(row: MessageRow): ChatMessage {
  return {
    ...row,
    sources: JSON.parse(row.sources),
    incomplete: row.incomplete === 1,
    continuationAvailable: row.continuationAvailable === 1,
  }
}

function insertMessage(db: Connection, chat: number, message: ChatMessage): number {
  return db.insert(
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
}

function writeTrace(db: Connection, message: number, trace: Trace): void {
  db.run(
    'insert into chat_trace (message, body) values (?, ?) on conflict (message) do update set body = excluded.body',
    message,
    JSON.stringify(trace),
  )
}

type MessageMethods =
  | 'append'
  | 'rewrite'
  | 'message'
  | 'messages'
  | 'trace'
  | 'react'
  | 'counts'
  | 'countedKeys'

/** `db`: the file of chats; `main`: that of projects. */
export function createChatMessages(db: Connection, main: Connection): Pick<ChatStore, MessageMethods> {
  /** The row id of a message; undefined where it, its chat or its project is gone. */
  function messageId(uuid: string): number | undefined {
    const row = db.get<{ id: number; project: string }>(
      'select message.id, chat.project from chat_message message join chat on chat.id = message.chat where message.uuid = ?',
      uuid,
    )
    return row !== undefined && hasProject(main, row.project) ? row.id : undefined
  }

  return {
    ...createDayCounts(db, {
      table: 'chat_day',
      project: (uuid) => (hasProject(main, uuid) ? uuid : undefined),
      // `cross join` begins with the messages: a project may have many more than those of a day.
      read: (project, day, { at, id }, limit) =>
        db.all<CountedRow>(
          `select ${countedColumns} from chat_message message cross join chat on chat.id = message.chat
           where message.created_at >= ?2 and message.created_at < ?2 || '~' and chat.project = ?1
             and (message.created_at, message.uuid) > (?3, ?4)
           order by message.created_at, message.uuid limit ?5`,
          ...[project, day, at, id, limit],
        ),
      countsAs: (row) => messageCountsAs({ ...row, sources: JSON.parse(row.sources) }),
    }),
    append: async (message, trace, writer) =>
      db.write(() => {
        const chat = db.get<{ id: number; project: string }>(
          'select id, project from chat where uuid = ?',
          message.chat,
        )
        if (chat === undefined || !hasProject(main, chat.project)) return false
        const holder = db.get<{ uuid: string }>(
          'select uuid from chat_message where uuid = ?1 or (chat = ?2 and position = ?3) order by uuid <> ?1',
          message.uuid,
          chat.id,
          message.position,
        )?.uuid
        if (holder === message.uuid) return true
        if (holder !== undefined) throw new Conflict('position')
        const id = insertMessage(db, chat.id, message)
        if (trace !== null) writeTrace(db, id, trace)
        db.run(
          'update chat set message_count = message_count + 1, updated_at = max(updated_at, ?) where id = ?',
          message.createdAt,
          chat.id,
        )
        if (writer !== null) {
          const written = 'update chat set writer = ?1, written_at = ?2 where id = ?3 and written_at <= ?2'
          db.run(written, writer.hash, writer.at, chat.id)
          const named = 'update chat set email = ? where id = ? and email is null'
          if (writer.email) db.run(named, writer.email, chat.id)
        }
        return true
      }),
    rewrite: async (message, trace) =>
      db.write(() => {
        const id = messageId(message.uuid)
        if (id === undefined) return false
        const changed = db.run(
          `update chat_message set content = ?, sources = ?, incomplete = ?, stop_reason = ?, continuation_count = ?,
             continuation_available = ?, revision = ? where id = ? and revision = ?`,
          message.content,
          JSON.stringify(message.sources),
          Number(message.incomplete),
          message.stopReason,
          message.continuationCount,
          Number(message.continuationAvailable),
          message.revision,
          id,
          message.revision - 1,
        )
        if (changed > 0) writeTrace(db, id, trace)
        return changed > 0
      }),
    message: async (uuid) => {
      const row = db.get<MessageRow>(`${selection} where message.uuid = ?`, uuid)
      return row !== undefined && hasProject(main, row.project) ? toMessage(row) : null
    },
    messages: async (chat) => {
      const rows = db.all<MessageRow>(`${selection} where chat.uuid = ? order by message.position`, chat)
      return rows[0] !== undefined && hasProject(main, rows[0].project) ? rows.map(toMessage) : []
    },
    trace: async (message) => {
      const id = messageId(message)
      const row =
        id === undefined
          ? undefined
          : db.get<{ body: string }>('select body from chat_trace where message = ?', id)
      return row === undefined ? null : JSON.parse(row.body)
    },
    react: async (message, { reaction, comment }) => {
      const id = messageId(message)
      if (id === undefined) return false
      const sql = "update chat_message set feedback = ?, comment = ? where id = ? and role = 'assistant'"
      return db.run(sql, reaction, comment, id) > 0
    },
  }
}
