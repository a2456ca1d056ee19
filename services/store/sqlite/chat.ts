// Chats with their messages, the traces of answers, and daily counts. They have their own file, because turns write on the event
// loop and must not wait there for the write lock of a sync. The project's row is in the other file, so chats refer to it by
// uuid.
import { setImmediate } from 'node:timers/promises'
import { Conflict } from '../../errors.ts'
import {
  type Chat,
  type ChatFilter,
  type ChatMeasure,
  type ChatMessage,
  type ChatStore,
  type CountedMessage,
  messageCountsAs,
} from '../chat.ts'
import type { PageRequest } from '../paging.ts'
import { newestFirst } from '../rows.ts'
import { createCountSchema, createDayCounts } from './analytics.ts'
import { type CleanupWork, createCleanupWork } from './cleanup.ts'
import { type Connection, yieldToWriters } from './connection.ts'
import { hasProject } from './project.ts'
import { createRows, createTable } from './table.ts'

const chatTable = createTable<Chat>(
  {
    name: 'chat',
    fields:
      'uuid project createdAt updatedAt title email? metadata? url? messageCount:int connection? writer? writtenAt',
    indexes: ['project createdAt uuid', 'project updatedAt uuid'],
  },
  { extra: ['id integer primary key autoincrement'] },
)
const messageTable = createTable<ChatMessage>(
  {
    name: 'chat_message',
    fields: `uuid position:int role content createdAt sources:json feedback:int? comment? incomplete:flag stopReason?
      continuationCount:int continuationAvailable:flag revision:int`,
  },
  {
    extra: [
      'id integer primary key',
      'chat integer not null references chat (id) on delete cascade',
      'trace text',
      'unique (chat, position)',
    ],
    from: 'from chat_message join chat on chat.id = chat_message.chat',
    elsewhere: { project: 'chat.project', chat: 'chat.uuid' },
  },
)

export const chatSchema = `
${chatTable.sql}
create index chat_by_email on chat (project, email) where email is not null;
${messageTable.sql}
${createCountSchema('chat', 'text')}`

type CountedRow = Omit<CountedMessage, 'sources'> & { project: string; day: string; sources: string }

/** Selects messages and their chats for `messageCountsAs`. A condition is appended. */
const countedSelection = `select chat.project, substr(message.created_at, 1, 10) as day, message.role, message.position,
    message.sources, message.feedback, chat.email, chat.url,
    message.trace ->> '$.verdict' as verdict,
    (select content from chat_message asked where asked.chat = message.chat and asked.position = message.position - 1) as question
  from chat_message message join chat on chat.id = message.chat`

/** Chats per step of a search, which blocks the event loop. */
const stepSize = 200

/** Selects the next chats, newest first, and whether each matches. */
const searchStep = `select uuid, created_at as createdAt,
    ($verdict is null and $reaction is null or exists (
      select 1 from chat_message message where message.chat = chat.id and ($reaction is null or feedback = $reaction)
        and ($verdict is null or $verdict = trace ->> '$.verdict')))
    and ($text is null or exists (select 1 from chat_message where chat = chat.id and holds(content, $text))) as matches
  from chat where project = $project and created_at >= $from and (created_at, uuid) < ($createdAt, $uuid)
  order by created_at desc, uuid desc limit ${stepSize}`

/** Maximum chats deleted per transaction, with their messages and traces. */
const batchSize = 10
/** Messages after which the transaction deletes no further chat. */
const maxMessages = 200

/** `db`: the file of chats. `main`: the file of projects. `cleanup` deletes the chats of deleted projects. */
export function createChats(db: Connection, main: Connection): { chats: ChatStore; cleanup: CleanupWork } {
  const chats = createRows(db, chatTable)
  const messages = createRows(db, messageTable)
  const { add, ...counted } = createDayCounts<ChatMeasure>(db, 'chat', (uuid) =>
    hasProject(main, uuid) ? uuid : undefined,
  )

  /** Returns the row, or null if its project is deleted. */
  const ifOpen = <Row extends { project: string }>(row: Row | null | undefined): Row | null =>
    row && hasProject(main, row.project) ? row : null

  /** Adds or subtracts the counts of messages that match the condition. Returns the number of messages. */
  function count(change: 1 | -1, where: string, value: number | string): number {
    const rows = db.all<CountedRow>(`${countedSelection} where ${where}`, [value])
    for (const row of rows)
      add(row.project, row.day, messageCountsAs({ ...row, sources: JSON.parse(row.sources) }), change)
    return rows.length
  }

  /** Runs `change`, which changes messages that match the condition or their chat, and updates the counts. */
  function recount<Result>(where: string, value: number | string, change: () => Result): Result {
    count(-1, where, value)
    const result = change()
    count(1, where, value)
    return result
  }

  /** Deletes at most `limit` chats that match the condition, in short transactions. Returns the number deleted. */
  async function erase(limit: number, where: string, values: string[]): Promise<number> {
    for (let erased = 0; ; await yieldToWriters()) {
      const wanted = Math.min(batchSize, limit - erased)
      const gone = db.write(() => {
        let [chats, messages] = [0, 0]
        for (const { id } of db.all<{ id: number }>(`select id from chat where ${where} limit ?`, [
          ...values,
          wanted,
        ])) {
          if (messages >= maxMessages) break
          messages += count(-1, 'chat.id = ?', id)
          db.run('delete from chat where id = ?', [id])
          chats++
        }
        return chats
      })
      erased += gone
      if (gone === 0 || erased >= limit) return erased
    }
  }

  async function search(project: string, filter: ChatFilter, { offset, limit }: PageRequest) {
    const { verdict = null, reaction = null, text, from = '', before = '~' } = filter
    const wanted = { project, verdict, reaction, text: text?.toLowerCase() ?? null, from }
    const matched: string[] = []
    let last = { createdAt: before, uuid: '' }
    for (;;) {
      const step = db.all<typeof last & { matches: number }>(searchStep, { ...wanted, ...last })
      matched.push(...step.filter(({ matches }) => matches === 1).map(({ uuid }) => uuid))
      if (step.length < stepSize) break
      last = step.at(-1)!
      await setImmediate()
    }
    const rows = matched.slice(offset, offset + limit).map((uuid) => chats.one({ uuid }))
    return { count: matched.length, rows: rows.filter((row) => row !== null) }
  }

  /** The row id of a message; undefined if it or its project does not exist. */
  function findMessage(uuid: string): number | undefined {
    const sql = `select chat_message.id, chat.project ${messageTable.from} where chat_message.uuid = ?`
    return ifOpen(db.get<{ id: number; project: string }>(sql, [uuid]))?.id
  }

  const cleanup = createCleanupWork(async (isStopped) => {
    const find = 'select project from chat where project > ? order by project limit 1'
    for (let last = ''; !isStopped(); ) {
      const project = db.get<{ project: string }>(find, [last])?.project
      if (project === undefined) return
      last = project
      if (hasProject(main, project)) continue
      while (!isStopped() && (await erase(batchSize, 'project = ?', [project])) > 0) await yieldToWriters()
    }
  })

  const store: ChatStore = {
    ...counted,
    insert: async (chat) => {
      if (hasProject(main, chat.project)) chats.insert(chat)
    },
    get: async (uuid) => ifOpen(chats.one({ uuid })),
    list: async (project, page) =>
      hasProject(main, project) ? chats.page({ project }, newestFirst, page) : { count: 0, rows: [] },
    search: async (project, filter, page) =>
      hasProject(main, project) ? search(project, filter, page) : { count: 0, rows: [] },
    delete: async (project, uuid) =>
      hasProject(main, project) && (await erase(1, 'uuid = ? and project = ?', [uuid, project])) > 0,
    deleteByEmail: async (project, email) =>
      hasProject(main, project)
        ? erase(Number.POSITIVE_INFINITY, 'project = ? and email = ?', [project, email])
        : 0,
    expire: async (project, before, limit) =>
      hasProject(main, project)
        ? erase(limit, 'project = ? and updated_at < ? order by updated_at, uuid', [project, before])
        : 0,
    append: async (message, trace, writer) =>
      db.write(() => {
        const chat = ifOpen(
          db.get<{ id: number; project: string; email: string | null }>(
            'select id, project, email from chat where uuid = ?',
            [message.chat],
          ),
        )
        if (chat === null) return false
        const existing = db.get<{ uuid: string }>(
          'select uuid from chat_message where uuid = ?1 or (chat = ?2 and position = ?3) order by uuid <> ?1',
          [message.uuid, chat.id, message.position],
        )?.uuid
        if (existing === message.uuid) return true
        if (existing !== undefined) throw new Conflict('position')
        // The chat's first email also counts for its earlier messages.
        const isFirstEmail = Boolean(writer?.email) && chat.email === null
        const [where, value] = isFirstEmail ? ['chat.id = ?', chat.id] : ['message.uuid = ?', message.uuid]
        recount(where, value, () => {
          db.run(
            `insert into chat_message (chat, trace, ${messageTable.names}) values ($chat, $trace, ${messageTable.parameters})`,
            { ...messageTable.values(message), chat: chat.id, trace: trace && JSON.stringify(trace) },
          )
          if (isFirstEmail) db.run('update chat set email = ? where id = ?', [writer!.email, chat.id])
        })
        db.run(
          'update chat set message_count = message_count + 1, updated_at = max(updated_at, ?) where id = ?',
          [message.createdAt, chat.id],
        )
        if (writer !== null) {
          const written = 'update chat set writer = ?1, written_at = ?2 where id = ?3 and written_at <= ?2'
          db.run(written, [writer.hash, writer.at, chat.id])
        }
        return true
      }),
    rewrite: async (message, trace) =>
      db.write(() => {
        const id = findMessage(message.uuid)
        if (id === undefined) return false
        const { content, sources, incomplete, stopReason, revision } = message
        const { continuationCount, continuationAvailable } = message
        const written = { content, sources, incomplete, stopReason, continuationCount, continuationAvailable }
        return recount('message.id = ?', id, () => {
          const isChanged = messages.set(
            { uuid: message.uuid, revision: revision - 1 },
            { ...written, revision },
          )
          if (isChanged) db.run('update chat_message set trace = ? where id = ?', [JSON.stringify(trace), id])
          return isChanged
        })
      }),
    message: async (uuid) => ifOpen(messages.one({ uuid })),
    messages: async (chat, { limit = 100, offset = 0, below = Number.MAX_SAFE_INTEGER } = {}) => {
      const rows = messages.all({ chat, position: { $lt: below } }, '-position', { limit, offset }).reverse()
      return ifOpen(rows[0]) === null ? [] : rows
    },
    trace: async (message) => {
      const sql = `select chat.project, chat_message.trace ${messageTable.from} where chat_message.uuid = ?`
      const row = ifOpen(db.get<{ project: string; trace: string | null }>(sql, [message]))
      return row === null || row.trace === null ? null : JSON.parse(row.trace)
    },
    react: async (message, { reaction, comment }) =>
      db.write(() => {
        const id = findMessage(message)
        if (id === undefined) return false
        const sql = "update chat_message set feedback = ?, comment = ? where id = ? and role = 'assistant'"
        return recount('message.id = ?', id, () => db.run(sql, [reaction, comment, id]) > 0)
      }),
  }
  return { chats: store, cleanup }
}
