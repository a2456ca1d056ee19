// Messages of chats and the traces of answers.
import { Conflict } from '../../errors.ts'
import {
  type Chat,
  type ChatMeasure,
  type ChatMessage,
  type ChatStore,
  messageCountsAs,
  type Trace,
} from '../chat.ts'
import { type ChatRow, openChat, positionsOf, slotOf } from './chat-row.ts'
import { isDuplicate, type MongoDb } from './connection.ts'
import type { DayCounter, Touched } from './day-counts.ts'
import { fromStored, type Stored, toStored } from './row.ts'

export interface MessageRow extends Stored<ChatMessage> {
  trace: Trace | null
}

/** Rows looked up at once. */
const atOnce = 1_000

type Writer = Parameters<ChatStore['append']>[2]

/** What a message changes of its chat. */
function carriedForward(chat: ChatRow, message: ChatMessage, writer: Writer): Partial<Chat> {
  return {
    messageCount: chat.messageCount + 1,
    updatedAt: [message.createdAt, chat.updatedAt].sort()[1]!,
    ...(writer !== null && writer.at >= chat.writtenAt && { writer: writer.hash, writtenAt: writer.at }),
    ...(writer?.email && chat.email === null && { email: writer.email }),
  }
}

const toMessage = ({ trace, ...row }: MessageRow): ChatMessage => fromStored<ChatMessage>(row)

/** What a change of the message changes in the counts of its day. */
export const touchedBy = ({
  _id,
  project,
  createdAt,
}: Pick<MessageRow, '_id' | 'project' | 'createdAt'>): Touched => ({ _id, project, at: createdAt })

/** What the messages of a project's day count as. */
export async function readCounted(
  db: MongoDb,
  project: string,
  day: string,
): Promise<[ChatMeasure, string][]> {
  const messages = db.collection<MessageRow>('chat_messages')
  const ofDay = await messages
    .find({ project, createdAt: { $gte: day, $lt: `${day}~` } })
    .project<MessageRow>({ content: 0, comment: 0, 'trace.passages': 0 })
    .batchSize(atOnce)
    .toArray()
  const open = await inSteps([...new Set(ofDay.map(({ chat }) => chat))], (uuids) =>
    db
      .collection<ChatRow>('chats')
      .find({ _id: { $in: uuids }, state: 'open' })
      .toArray(),
  )
  const chats = new Map(open.map((chat) => [chat._id, chat]))
  const named = ofDay.filter(({ _id, chat, position }) => chats.get(chat)?.messages[slotOf(position)] === _id)
  const askedBy = ({ chat, position }: MessageRow) => chats.get(chat)?.messages[slotOf(position - 1)]
  const answered = named.filter(({ trace }) => trace?.verdict)
  const asked = await inSteps(
    answered.flatMap((row) => askedBy(row) ?? []),
    (uuids) =>
      messages
        .find({ _id: { $in: uuids } })
        .project<MessageRow>({ content: 1 })
        .toArray(),
  )
  const texts = new Map(asked.map(({ _id, content }) => [_id, content]))
  return named.flatMap((row) => {
    const { email, url } = chats.get(row.chat)!
    const question = texts.get(askedBy(row) ?? '') ?? null
    return messageCountsAs({ ...row, email, url, question, verdict: row.trace?.verdict ?? null })
  })
}

async function inSteps<Row>(uuids: string[], find: (some: string[]) => Promise<Row[]>): Promise<Row[]> {
  const found: Row[] = []
  for (let first = 0; first < uuids.length; first += atOnce)
    found.push(...(await find(uuids.slice(first, first + atOnce))))
  return found
}

type MessageMethods = 'append' | 'rewrite' | 'message' | 'messages' | 'trace' | 'react'

export function createChatMessages(
  db: MongoDb,
  { changing }: DayCounter<ChatMeasure>,
): Pick<ChatStore, MessageMethods> {
  const chats = db.collection<ChatRow>('chats')
  const messages = db.collection<MessageRow>('chat_messages')

  /** The message where its chat names it. */
  async function named(uuid: string): Promise<MessageRow | null> {
    const row = await messages.findOne({ _id: uuid })
    const chat = row && (await openChat(db, row.chat))
    return chat?.messages[slotOf(row!.position)] === uuid ? row : null
  }

  /** Stores the text, which nobody sees before the chat names it. */
  async function store(row: MessageRow): Promise<void> {
    try {
      await messages.insertOne(row)
    } catch (error) {
      if (!isDuplicate(error)) throw error
      // Left by an attempt that did not come to its end: taken over where that was in another place.
      const elsewhere = { $or: [{ chat: { $ne: row.chat } }, { position: { $ne: row.position } }] }
      await messages.replaceOne({ _id: row._id, ...elsewhere }, row)
    }
  }

  async function append(message: ChatMessage, trace: Trace | null, writer: Writer): Promise<boolean> {
    if ((await named(message.uuid)) !== null) return true
    const slot = slotOf(message.position)
    for (let stored = false; ; stored = true) {
      const chat = await openChat(db, message.chat)
      const holder = chat?.messages[slot]
      if (holder === message.uuid) return true
      if (chat === null || holder !== undefined) {
        if (stored) await messages.deleteOne({ _id: message.uuid })
        if (chat === null) return false
        throw new Conflict('position')
      }
      if (!stored) await store({ ...toStored(message), trace })
      const { matchedCount } = await chats.updateOne(
        { _id: chat._id, state: 'open', changes: chat.changes },
        {
          $set: { [`messages.${slot}`]: message.uuid, ...carriedForward(chat, message, writer) },
          $inc: { changes: 1 },
        },
      )
      if (matchedCount > 0) return true
    }
  }

  /** An e-mail that the chat has not had counts for its messages of before, too. */
  async function touchedByNaming(chat: string, email: string | null | undefined): Promise<Touched[]> {
    if (!email || (await openChat(db, chat))?.email !== null) return []
    const before = messages.find({ chat }).project<MessageRow>({ project: 1, createdAt: 1 })
    return (await before.toArray()).map(touchedBy)
  }

  return {
    append: async (message, trace, writer) => {
      const before = await touchedByNaming(message.chat, writer?.email)
      const touched = [touchedBy(toStored(message)), ...before]
      return changing(touched, () => append(message, trace, writer))
    },
    rewrite: async (message, trace) => {
      const row = await named(message.uuid)
      if (row === null) return false
      const { content, sources, incomplete, stopReason, continuationCount, continuationAvailable, revision } =
        message
      const { matchedCount } = await changing([touchedBy(row)], () =>
        messages.updateOne(
          { _id: message.uuid, revision: revision - 1 },
          {
            $set: {
              content,
              sources,
              incomplete,
              stopReason,
              continuationCount,
              continuationAvailable,
              revision,
              trace,
            },
          },
        ),
      )
      return matchedCount > 0
    },
    message: async (uuid) => {
      const row = await named(uuid)
      return row === null ? null : toMessage(row)
    },
    messages: async (uuid, { limit = 100, offset = 0, below = Number.POSITIVE_INFINITY } = {}) => {
      const chat = await openChat(db, uuid)
      if (chat === null) return []
      const newest = positionsOf(chat)
        .filter((position) => position < below)
        .sort((one, other) => other - one)
        .slice(offset, offset + limit)
      const named = newest.map((position) => chat.messages[slotOf(position)]!)
      const rows = messages.find({ _id: { $in: named } }, { projection: { trace: 0 } })
      return (await rows.sort({ position: 1 }).toArray()).map(toMessage)
    },
    trace: async (uuid) => (await named(uuid))?.trace ?? null,
    react: async (uuid, { reaction, comment }) => {
      const row = await named(uuid)
      if (row === null) return false
      const said = { $set: { feedback: reaction, comment } }
      const { matchedCount } = await changing([touchedBy(row)], () =>
        messages.updateOne({ _id: uuid, role: 'assistant' }, said),
      )
      return matchedCount > 0
    },
  }
}
