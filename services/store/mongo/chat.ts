// Chats, their messages and the traces of answers. A message exists while its chat exists. The chat's own fields are derived from
// the messages and only grow, so that a retry completes an interrupted write.
import type { Filter } from 'mongodb'
import { Conflict } from '../../errors.ts'
import {
  type Chat,
  type ChatFilter,
  type ChatMeasure,
  type ChatMessage,
  type ChatStore,
  messageCountsAs,
  type Trace,
} from '../chat.ts'
import { newestFirst } from '../rows.ts'
import { type Change, createDayCounts } from './analytics.ts'
import type { Cleanup, Tombstone } from './cleanup.ts'
import { isDuplicate, type MongoDb } from './connection.ts'
import { isOpen } from './journal.ts'
import { chunked, deleteInSteps, findByIds, type Stored, toStored } from './row.ts'
import { createRows, toOrder } from './rows.ts'

interface ChatRow extends Stored<Chat> {
  state: 'open'
  /** Incremented by each message. */
  changes: number
}

interface ChatTombstone extends Tombstone {
  project: string
}

type Writer = Parameters<ChatStore['append']>[2]

interface MessageRow extends Stored<ChatMessage> {
  trace: Trace | null
  /** The writer, until the chat's own fields are updated; then absent. */
  writer?: Writer
}

/** Chats per step of a search. */
const maxSearched = 1_000

/** Chats deleted per step. */
const maxErased = 100

/** The change of a message, for the counts of its day. */
const toChange = ({ _id, project, createdAt }: MessageRow): Change => ({ _id, project, at: createdAt })

export function createChats(db: MongoDb, cleanup: Cleanup): ChatStore {
  const { documents: chats, ...chatRows } = createRows<Chat, ChatRow>(
    db,
    { name: 'chat', isOfProject: true },
    { initial: { state: 'open', changes: 0 } },
  )
  const { documents: messages, ...messageRows } = createRows<ChatMessage, MessageRow>(
    db,
    { name: 'chat_message', isOfProject: false },
    { fields: ['trace', 'writer'] },
  )
  const tombstones = db.collection<ChatRow | ChatTombstone>('chats')

  /** Counts the messages of a project's day. */
  const { recount, ...counted } = createDayCounts<ChatMeasure>(
    db,
    'chat_days',
    async function* (project, day) {
      const ofDay = await messages
        .find({ project, createdAt: { $gte: day, $lt: `${day}~` } })
        .project<MessageRow>({ content: 0, comment: 0, 'trace.passages': 0 })
        .toArray()
      const uuids = [...new Set(ofDay.map(({ chat }) => chat))]
      const found = await findByIds(chats, uuids)
      const open = new Map(found.flatMap((row) => (row.state === 'open' ? [[row._id, row]] : [])))
      const asked = await messages
        .find({ chat: { $in: uuids }, role: 'user' })
        .project<MessageRow>({ chat: 1, position: 1, content: 1 })
        .toArray()
      const questions = new Map(asked.map((row) => [`${row.chat} ${row.position}`, row.content]))
      yield ofDay.flatMap((row) => {
        const chat = open.get(row.chat)
        if (chat === undefined) return []
        const question = questions.get(`${row.chat} ${row.position - 1}`) ?? null
        const { email, url } = chat
        return messageCountsAs({ ...row, email, url, question, verdict: row.trace?.verdict ?? null })
      })
    },
  )

  async function openChat(uuid: string): Promise<ChatRow | null> {
    const row = await chats.findOne({ _id: uuid, state: 'open' })
    return row !== null && (await isOpen(db, row.project)) ? row : null
  }

  async function openMessage(uuid: string): Promise<MessageRow | null> {
    const row = await messages.findOne({ _id: uuid })
    return row !== null && (await openChat(row.chat)) !== null ? row : null
  }

  /** Sets fields of the message if it matches the filter. False if it does not, or is deleted. */
  async function change(uuid: string, filter: Filter<MessageRow>, fields: Partial<MessageRow>) {
    const row = await openMessage(uuid)
    if (row === null) return false
    const { matchedCount } = await recount([toChange(row)], () =>
      messages.updateOne({ ...filter, _id: uuid }, { $set: fields }),
    )
    return matchedCount > 0
  }

  /** Inserts the message. Returns the stored one if it exists. */
  async function insertMessage(row: MessageRow): Promise<MessageRow> {
    try {
      await messages.insertOne(row)
      return row
    } catch (error) {
      if (!isDuplicate(error)) throw error
      // Not every server reports which index has the duplicate.
      const stored = await messages.findOne({ _id: row._id })
      if (stored === null) throw new Conflict('position')
      return stored
    }
  }

  /** Updates the chat's own fields for the message. False if the chat is deleted. */
  async function updateChat({ _id, chat, createdAt }: MessageRow, writer: Writer): Promise<boolean> {
    const open = { _id: chat, state: 'open' } as const
    const messageCount = await messages.countDocuments({ chat })
    const { matchedCount } = await chats.updateOne(open, {
      $max: { messageCount, updatedAt: createdAt },
      $inc: { changes: 1 },
    })
    if (writer !== null) {
      const { hash, at, email } = writer
      const isLater = { writtenAt: { $lte: at } }
      await chats.updateOne({ ...open, ...isLater }, { $set: { writer: hash, writtenAt: at } })
      if (email) await chats.updateOne({ ...open, email: null }, { $set: { email } })
    }
    await messages.updateOne({ _id }, { $unset: { writer: '' } })
    return matchedCount > 0
  }

  /**
   * Deletes at most `limit` chats that match the filter, oldest update first. Returns the number deleted. A single update replaces a
   * chat by a tombstone, if it still matches the filter.
   */
  async function erase(project: string, filter: Filter<ChatRow>, limit = Number.POSITIVE_INFINITY) {
    if (!(await isOpen(db, project))) return 0
    const open = { ...filter, project, state: 'open' } as Filter<ChatRow | ChatTombstone>
    let erased = 0
    while (erased < limit) {
      const found = await chats
        .find(open as Filter<ChatRow>, { projection: { changes: 1 } })
        .sort({ updatedAt: 1, _id: 1 })
        .limit(Math.min(maxErased, limit - erased))
        .toArray()
      if (found.length === 0) break
      const inThem = { chat: { $in: found.map(({ _id }) => _id) } }
      const docs = await messages.find(inThem).project<MessageRow>({ project: 1, createdAt: 1 }).toArray()
      const replacement = { project, state: 'gone', goneAt: cleanup.now() } as const
      const { matchedCount } = await recount(docs.map(toChange), () =>
        tombstones.bulkWrite(
          // A chat with a new message since then does not match, and is found again.
          found.map(({ _id, changes }) => ({
            replaceOne: { filter: { ...open, _id, changes } as typeof open, replacement },
          })),
        ),
      )
      erased += matchedCount
      const gone = (await findByIds(tombstones, inThem.chat.$in)).filter(({ state }) => state === 'gone')
      await deleteInSteps(messages, { chat: { $in: gone.map(({ _id }) => _id) } })
    }
    return erased
  }

  /** UUIDs of the project's chats that match the filter, in the order of lists. */
  async function search(
    project: string,
    { verdict, reaction, text, from = '', before = '~' }: ChatFilter,
  ): Promise<string[]> {
    const answer: Filter<MessageRow> = {
      ...(verdict !== undefined && { 'trace.verdict': verdict }),
      ...(reaction !== undefined && { feedback: reaction }),
    }
    const pattern = text?.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&')
    const conditions = [
      ...(Object.keys(answer).length > 0 ? [answer] : []),
      ...(pattern === undefined ? [] : [{ content: { $regex: pattern, $options: 'i' } }]),
    ]
    const ofTime = { project, state: 'open', createdAt: { $gte: from, $lt: before } } as const
    const found = chats.find(ofTime, { projection: { _id: 1 } }).sort(toOrder(newestFirst))
    const matched: string[] = []
    for await (const rows of chunked(found, maxSearched)) {
      let uuids = rows.map(({ _id }) => _id)
      for (const condition of conditions) {
        const inThem = { ...condition, chat: { $in: uuids } } as Filter<MessageRow>
        const hits = await messages.find(inThem).project<MessageRow>({ chat: 1 }).toArray()
        const matching = new Set(hits.map(({ chat }) => chat))
        uuids = uuids.filter((uuid) => matching.has(uuid))
      }
      matched.push(...uuids)
    }
    return matched
  }

  return {
    ...counted,
    insert: async (chat) => void (await chatRows.insert(chat)),
    get: (uuid) => chatRows.one({ uuid }),
    list: (project, page) => chatRows.page({ project }, newestFirst, page),
    search: async (project, filter, { offset, limit }) => {
      if (!(await isOpen(db, project))) return { count: 0, rows: [] }
      const matched = await search(project, filter)
      const inPage = { _id: { $in: matched.slice(offset, offset + limit) } }
      return { count: matched.length, rows: await chatRows.all(inPage, newestFirst) }
    },
    append: async (message, trace, writer) => {
      const chat = await openChat(message.chat)
      if (chat === null) return false
      // The chat's first email also counts for its earlier messages.
      const earlier =
        writer?.email && chat.email === null ? await messages.find({ chat: chat._id }).toArray() : []
      const row: MessageRow = { ...toStored(message), trace, writer }
      return recount([row, ...earlier].map(toChange), async () => {
        const stored = await insertMessage(row)
        if (stored.writer === undefined || (await updateChat(stored, stored.writer))) return true
        await messages.deleteOne({ _id: message.uuid })
        return false
      })
    },
    rewrite: async (message, trace) => {
      const { uuid, content, sources, incomplete, stopReason, revision } = message
      const { continuationCount, continuationAvailable } = message
      const answer = { content, sources, incomplete, stopReason, continuationCount, continuationAvailable }
      return change(uuid, { revision: revision - 1 }, { ...answer, revision, trace })
    },
    message: async (uuid) => {
      const row = await openMessage(uuid)
      return row && messageRows.toRow(row)
    },
    messages: async (chat, { limit = 100, offset = 0, below = Number.MAX_SAFE_INTEGER } = {}) => {
      if (limit === 0 || (await openChat(chat)) === null) return []
      const newest = messages.find({ chat, position: { $lt: below } }, { projection: { trace: 0 } })
      const rows = await newest.sort({ position: -1 }).skip(offset).limit(limit).toArray()
      return rows.map(messageRows.toRow).reverse()
    },
    trace: async (uuid) => (await openMessage(uuid))?.trace ?? null,
    react: (uuid, { reaction, comment }) =>
      change(uuid, { role: 'assistant' }, { feedback: reaction, comment }),
    delete: async (project, uuid) => (await erase(project, { _id: uuid }, 1)) > 0,
    deleteByEmail: (project, email) => erase(project, { email }),
    expire: (project, before, limit) => erase(project, { updatedAt: { $lt: before } }, limit),
  }
}
