// The store of chats. A message exists while its chat exists. The chat's own fields are derived from the messages and only grow, so
// that a retry completes an interrupted write.
import { setImmediate } from 'node:timers/promises'
import { createDayCounts, type DayRows, toDayTables } from './analytics.ts'
import {
  type Chat,
  type ChatMeasure,
  type ChatMessage,
  messageCountsAs,
  type Trace,
  type Verdict,
} from './chat.ts'
import type { Paged, PageRequest } from './paging.ts'
import { type Filter, newestFirst, type Rows, type Table } from './rows.ts'

/** Page of a chat's messages. Default: limit 100, offset 0. */
export interface MessagePage {
  limit?: number
  offset?: number
  below?: number
}

/** Filters of chats. Absent filters match all. */
export interface ChatFilter {
  /** Verdict and reaction of an answer: of the same answer if both are given. */
  verdict?: Verdict
  reaction?: number
  /** Text in any message, case-insensitive. */
  text?: string
  /** Range of createdAt: `from` is inclusive, `before` exclusive. */
  from?: string
  before?: string
}

type StoredMessage = ChatMessage & { trace: Trace | null }

export const chatTable: Table<Chat> = {
  name: 'chat',
  fields:
    'uuid project createdAt updatedAt title email? metadata? url? messageCount:int connection? writer? writtenAt',
  indexes: ['project createdAt uuid', 'project updatedAt uuid', 'project email'],
}

export const messageTable: Table<StoredMessage> = {
  name: 'chat_message',
  fields: `uuid project chat position:int role content createdAt sources:json feedback:int? comment? incomplete:flag stopReason?
    continuationCount:int continuationAvailable:flag revision:int trace:json?`,
  unique: { fields: 'chat position', conflict: 'position' },
  indexes: ['project createdAt uuid'],
}

export const chatDays = toDayTables('chat')

interface Writer {
  hash: string | null
  at: string
  email: string | null
}

interface ChatRows extends DayRows {
  /** Deleting a chat deletes its messages. */
  chats: Rows<Chat>
  /** An insertion is ignored if there is no such chat. */
  messages: Rows<StoredMessage>
}

/** Chats per step of a search. */
const stepSize = 200
/** Messages per step of a count. */
const countSize = 500
/** Chats per step of an erasure. */
const maxErased = 50

export type ChatStore = ReturnType<typeof createChats>

const toMessage = ({ trace, ...message }: StoredMessage): ChatMessage => message

export function createChats({ chats, messages, ...dayRows }: ChatRows) {
  const { isOpen } = dayRows
  const { recount, ...counted } = createDayCounts<ChatMeasure>(dayRows, readDay)

  /** Yields the counts of the messages of a project's day. */
  async function* readDay(project: string, day: string) {
    const ofDay = { project, createdAt: { $gte: day, $lt: `${day}~` } }
    for (let offset = 0; ; offset += countSize) {
      const rows = await messages.all(ofDay, 'createdAt uuid', { offset, limit: countSize })
      const uuids = [...new Set(rows.map(({ chat }) => chat))]
      const found = await chats.all({ uuid: { $in: uuids } }, 'uuid')
      const open = new Map(found.map((chat) => [chat.uuid, chat]))
      const asked = await messages.all({ chat: { $in: uuids }, role: 'user' }, 'uuid')
      const questions = new Map(asked.map((row) => [`${row.chat} ${row.position}`, row.content]))
      yield rows.flatMap((row) => {
        const chat = open.get(row.chat)
        if (chat === undefined) return []
        const question = questions.get(`${row.chat} ${row.position - 1}`) ?? null
        const { email, url } = chat
        return messageCountsAs({ ...row, email, url, question, verdict: row.trace?.verdict ?? null })
      })
      if (rows.length < countSize) return
    }
  }

  async function openChat(uuid: string): Promise<Chat | null> {
    const chat = await chats.one({ uuid })
    return chat !== null && (await isOpen(chat.project)) ? chat : null
  }

  async function openMessage(uuid: string): Promise<StoredMessage | null> {
    const row = await messages.one({ uuid })
    return row !== null && (await openChat(row.chat)) !== null ? row : null
  }

  /** Sets fields of the message if it matches the filter. False if it does not, or is deleted. */
  async function change(uuid: string, filter: Filter<StoredMessage>, fields: Partial<StoredMessage>) {
    const row = await openMessage(uuid)
    if (row === null) return false
    const set = async () => messages.set({ ...filter, uuid }, fields)
    return recount(row.project, [row.createdAt], set)
  }

  /** Updates the chat's own fields for the message, unless an earlier call has. False if the chat is deleted. */
  async function updateChat(message: ChatMessage, isNew: boolean, by: Writer | null): Promise<boolean> {
    for (;;) {
      const chat = await openChat(message.chat)
      if (chat === null) return false
      const { uuid, messageCount, updatedAt, writtenAt, email } = chat
      const count = (await messages.values({ chat: uuid }, 'position')).length
      if (!isNew && messageCount >= count) return true
      const changed = {
        messageCount: Math.max(messageCount, count),
        updatedAt: message.createdAt > updatedAt ? message.createdAt : updatedAt,
        ...(by !== null && by.at >= writtenAt && { writer: by.hash, writtenAt: by.at }),
        ...(by?.email && email === null && { email: by.email }),
      }
      // Repeated if another message has changed the chat meanwhile.
      if (await chats.set({ uuid, messageCount, updatedAt, writtenAt, email }, changed)) return true
    }
  }

  /** Deletes at most `limit` chats that match the filter, oldest update first. Returns the number deleted. */
  async function erase(project: string, filter: Filter<Chat>, limit = Number.POSITIVE_INFINITY) {
    if (!(await isOpen(project))) return 0
    for (let erased = 0; ; ) {
      const page = { limit: Math.min(maxErased, limit - erased) }
      const found = page.limit > 0 ? await chats.all({ ...filter, project }, 'updatedAt uuid', page) : []
      if (found.length === 0) return erased
      const ofChats = { chat: { $in: found.map(({ uuid }) => uuid) } }
      await recount(project, await messages.values(ofChats, 'createdAt'), async () => {
        for (const { uuid, messageCount } of found) {
          // A chat with a new message since then does not match, and is found again.
          if (await chats.delete({ ...filter, uuid, messageCount })) erased += 1
          await setImmediate()
        }
      })
    }
  }

  /** UUIDs of the project's chats that match the filter, in the order of lists. */
  async function search(project: string, filter: ChatFilter): Promise<string[]> {
    const { verdict, reaction, text, from = '', before = '~' } = filter
    const answer: Filter<StoredMessage> = {
      ...(verdict !== undefined && { 'trace.verdict': verdict }),
      ...(reaction !== undefined && { feedback: reaction }),
    }
    const conditions: Filter<StoredMessage>[] = [
      ...(Object.keys(answer).length > 0 ? [answer] : []),
      ...(text === undefined ? [] : [{ content: { $holds: text } }]),
    ]
    const ofTime = { project, createdAt: { $gte: from, $lt: before } }
    const matched: string[] = []
    for (let offset = 0; ; offset += stepSize) {
      const step = await chats.all(ofTime, newestFirst, { offset, limit: stepSize })
      let uuids = step.map(({ uuid }) => uuid)
      for (const condition of conditions) {
        const matching = new Set(await messages.values({ ...condition, chat: { $in: uuids } }, 'chat'))
        uuids = uuids.filter((uuid) => matching.has(uuid))
      }
      matched.push(...uuids)
      if (step.length < stepSize) return matched
      await setImmediate()
    }
  }

  const none: Paged<Chat> = { count: 0, rows: [] }

  return {
    ...counted,
    async insert(chat: Chat): Promise<void> {
      if (await isOpen(chat.project)) await chats.insert(chat)
    },
    get: openChat,
    /** Sorted by createdAt, newest first, then by uuid. */
    list: async (project: string, page: PageRequest) =>
      (await isOpen(project)) ? chats.page({ project }, newestFirst, page) : none,
    /** Lists chats that match the filter, in the same order. Reads all chats of the time range, in short steps. */
    async search(project: string, filter: ChatFilter, { offset, limit }: PageRequest): Promise<Paged<Chat>> {
      if (!(await isOpen(project))) return none
      const matched = await search(project, filter)
      const page = matched.slice(offset, offset + limit)
      return { count: matched.length, rows: await chats.all({ uuid: { $in: page } }, newestFirst) }
    },
    /**
     * Adds a message, with the trace of an answer, and updates the chat's updatedAt, messageCount, writer and writtenAt. Sets the
     * chat's email if it has none, so that deleteByEmail finds the chat. Rejects with Conflict(`position`) if another message has
     * the position. False if the chat is deleted.
     */
    async append(message: ChatMessage, trace: Trace | null, writer: Writer | null): Promise<boolean> {
      const chat = await openChat(message.chat)
      if (chat === null) return false
      const { uuid, project, email } = chat
      // The chat's first email also counts for its earlier messages.
      const isFirstEmail = Boolean(writer?.email) && email === null
      const earlier = isFirstEmail ? await messages.values({ chat: uuid }, 'createdAt') : []
      return recount(project, [message.createdAt, ...earlier], async () => {
        const isNew = await messages.insert({ ...message, project, trace })
        if (await updateChat(message, isNew, writer)) return true
        await messages.delete({ uuid: message.uuid })
        return false
      })
    },
    /** Updates content, sources, incomplete, stopReason, continuation fields and trace, if the revision follows. */
    rewrite: async (message: ChatMessage, trace: Trace) => {
      const { uuid, content, sources, incomplete, stopReason, revision } = message
      const { continuationCount, continuationAvailable } = message
      const answer = { content, sources, incomplete, stopReason, continuationCount, continuationAvailable }
      return change(uuid, { revision: revision - 1 }, { ...answer, revision, trace })
    },
    async message(uuid: string): Promise<ChatMessage | null> {
      const row = await openMessage(uuid)
      return row && toMessage(row)
    },
    /** The newest `limit` messages below the position `below`, skipping `offset`, sorted by position. */
    async messages(chat: string, page: MessagePage = {}): Promise<ChatMessage[]> {
      const { limit = 100, offset = 0, below = Number.MAX_SAFE_INTEGER } = page
      if (limit === 0 || (await openChat(chat)) === null) return []
      const rows = await messages.all({ chat, position: { $lt: below } }, '-position', { offset, limit })
      return rows.map(toMessage).reverse()
    },
    trace: async (message: string): Promise<Trace | null> => (await openMessage(message))?.trace ?? null,
    /** Sets the feedback. False if there is no such answer. */
    react: async (message: string, { reaction, comment }: { reaction: number; comment: string | null }) =>
      change(message, { role: 'assistant' }, { feedback: reaction, comment }),
    /** Deletes a chat with its messages and traces. */
    delete: async (project: string, uuid: string) => (await erase(project, { uuid }, 1)) > 0,
    /** Deletes all chats with the email. Returns the number deleted. */
    deleteByEmail: (project: string, email: string) => erase(project, { email }),
    /** Deletes at most `limit` chats last updated before the time, oldest first. Returns the number deleted. */
    expire: (project: string, before: string, limit: number) =>
      erase(project, { updatedAt: { $lt: before } }, limit),
  }
}
