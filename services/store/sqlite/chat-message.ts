// Messages of chats and the traces of answers.
import { Conflict } from '../../errors.ts'
import {
  type ChatMeasure,
  type ChatMessage,
  type ChatStore,
  type CountedMessage,
  messageCountsAs,
  type Trace,
} from '../chat.ts'
import type { Connection } from './connection.ts'
import { createDayCounts } from './day-counts.ts'
import { hasProject } from './project.ts'
import { createTable, type Values } from './table.ts'

const stored = createTable<ChatMessage>('message', {
  plain: 'uuid position role content createdAt feedback comment stopReason continuationCount revision',
  json: 'sources',
  flag: 'incomplete continuationAvailable',
  elsewhere: { team: 'chat.team', project: 'chat.project', chat: 'chat.uuid' },
})
const rewritten = stored.set(
  'content sources incomplete stopReason continuationCount continuationAvailable revision',
)

/** Messages with their chat; the condition is appended. */
const selection = `select ${stored.columns} from chat_message message join chat on chat.id = message.chat`

type CountedRow = Omit<CountedMessage, 'sources'> & { project: string; day: string; sources: string }

/** Messages and their chats, as `messageCountsAs` takes them; the condition is appended. */
const countedSelection = `select chat.project, substr(message.created_at, 1, 10) as day, message.role, message.position,
    message.sources, message.feedback, chat.email, chat.url,
    (select json_extract(body, '$.verdict') from chat_trace where message = message.id) as verdict,
    (select content from chat_message asked where asked.chat = message.chat and asked.position = message.position - 1) as question
  from chat_message message join chat on chat.id = message.chat`

/** Counts of messages by day. They change in the transaction that changes the messages. */
export function createChatCounts(db: Connection, main: Connection) {
  const { add, ...counted } = createDayCounts<ChatMeasure>(
    db,
    { days: 'chat_day', keys: 'chat_count' },
    (uuid) => (hasProject(main, uuid) ? uuid : undefined),
  )

  /** Adds the counts of the messages that the condition finds, or takes them back; answers how many it finds. */
  function count(change: 1 | -1, where: string, value: number | string): number {
    const rows = db.all<CountedRow>(`${countedSelection} where ${where}`, value)
    for (const row of rows)
      add(row.project, row.day, messageCountsAs({ ...row, sources: JSON.parse(row.sources) }), change)
    return rows.length
  }

  return {
    counted,
    count,
    /** Runs `change`, which changes these messages or their chat. */
    recount<Result>(where: string, value: number | string, change: () => Result): Result {
      count(-1, where, value)
      const result = change()
      count(1, where, value)
      return result
    },
  }
}

export type ChatCounts = ReturnType<typeof createChatCounts>

function writeTrace(db: Connection, message: number, trace: Trace): void {
  db.run(
    'insert into chat_trace (message, body) values (?, ?) on conflict (message) do update set body = excluded.body',
    message,
    JSON.stringify(trace),
  )
}

type MessageMethods = 'append' | 'rewrite' | 'message' | 'messages' | 'trace' | 'react'

/** `db`: the file of chats; `main`: that of projects. */
export function createChatMessages(
  db: Connection,
  main: Connection,
  { recount }: ChatCounts,
): Pick<ChatStore, MessageMethods> {
  /** The row id of a message; undefined where it, its chat or its project is gone. */
  function messageId(uuid: string): number | undefined {
    const row = db.get<{ id: number; project: string }>(
      'select message.id, chat.project from chat_message message join chat on chat.id = message.chat where message.uuid = ?',
      uuid,
    )
    return row !== undefined && hasProject(main, row.project) ? row.id : undefined
  }

  return {
    append: async (message, trace, writer) =>
      db.write(() => {
        const chat = db.get<{ id: number; project: string; email: string | null }>(
          'select id, project, email from chat where uuid = ?',
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
        // An e-mail that the chat did not have yet counts for its earlier messages too.
        const isNaming = Boolean(writer?.email) && chat.email === null
        const [where, value] = isNaming ? ['chat.id = ?', chat.id] : ['message.uuid = ?', message.uuid]
        recount(where, value, () => {
          const id = db.insert(
            `insert into chat_message (chat, ${stored.names}) values ($chat, ${stored.parameters})`,
            { ...stored.values(message), chat: chat.id },
          )
          if (trace !== null) writeTrace(db, id, trace)
          if (isNaming) db.run('update chat set email = ? where id = ?', writer!.email, chat.id)
        })
        db.run(
          'update chat set message_count = message_count + 1, updated_at = max(updated_at, ?) where id = ?',
          message.createdAt,
          chat.id,
        )
        if (writer !== null) {
          const written = 'update chat set writer = ?1, written_at = ?2 where id = ?3 and written_at <= ?2'
          db.run(written, writer.hash, writer.at, chat.id)
        }
        return true
      }),
    rewrite: async (message, trace) =>
      db.write(() => {
        const id = messageId(message.uuid)
        if (id === undefined) return false
        return recount('message.id = ?', id, () => {
          const changed = db.run(
            `update chat_message set ${rewritten} where id = $id and revision = $revision - 1`,
            { ...stored.values(message), id },
          )
          if (changed > 0) writeTrace(db, id, trace)
          return changed > 0
        })
      }),
    message: async (uuid) => {
      const row = db.get<Values<ChatMessage>>(`${selection} where message.uuid = ?`, uuid)
      const message = stored.toRowOrNull(row)
      return message !== null && hasProject(main, message.project) ? message : null
    },
    messages: async (chat, { limit = 100, offset = 0, below = Number.MAX_SAFE_INTEGER } = {}) => {
      const newest = `${selection} where chat.uuid = ? and message.position < ? order by message.position desc limit ? offset ?`
      const rows = db.all<Values<ChatMessage>>(newest, chat, below, limit, offset).map(stored.toRow).reverse()
      return rows[0] !== undefined && hasProject(main, rows[0].project) ? rows : []
    },
    trace: async (message) => {
      const id = messageId(message)
      const row =
        id === undefined
          ? undefined
          : db.get<{ body: string }>('select body from chat_trace where message = ?', id)
      return row === undefined ? null : JSON.parse(row.body)
    },
    react: async (message, { reaction, comment }) =>
      db.write(() => {
        const id = messageId(message)
        if (id === undefined) return false
        const sql = "update chat_message set feedback = ?, comment = ? where id = ? and role = 'assistant'"
        return recount('message.id = ?', id, () => db.run(sql, reaction, comment, id) > 0)
      }),
  }
}
