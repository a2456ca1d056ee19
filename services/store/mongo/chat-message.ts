// Messages of chats and the traces of answers.
import { Conflict } from '../../errors.ts'
import type { Chat, ChatMessage, ChatStore, Trace, VerdictCount } from '../chat.ts'
import { type ChatRow, openChat, slotOf } from './chat-row.ts'
import { isDuplicate, type MongoDb } from './connection.ts'
import { openProject } from './project-row.ts'
import { fromStored, type Stored, toStored } from './row.ts'

interface MessageRow extends Stored<ChatMessage> {
  trace: Trace | null
}

/** Answers looked up at once. */
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

type MessageMethods = 'append' | 'rewrite' | 'message' | 'messages' | 'trace' | 'verdicts' | 'react'

export function createChatMessages(db: MongoDb): Pick<ChatStore, MessageMethods> {
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

  return {
    append: async (message, trace, writer) => {
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
    },
    rewrite: async (message, trace) => {
      if ((await named(message.uuid)) === null) return false
      const { content, sources, incomplete, stopReason, continuationCount, continuationAvailable, revision } =
        message
      const { matchedCount } = await messages.updateOne(
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
      )
      return matchedCount > 0
    },
    message: async (uuid) => {
      const row = await named(uuid)
      return row === null ? null : toMessage(row)
    },
    messages: async (uuid) => {
      const chat = await openChat(db, uuid)
      if (chat === null) return []
      const rows = await messages
        .find({ chat: uuid }, { projection: { trace: 0 } })
        .sort({ position: 1 })
        .toArray()
      return rows.filter((row) => chat.messages[slotOf(row.position)] === row._id).map(toMessage)
    },
    trace: async (uuid) => (await named(uuid))?.trace ?? null,
    verdicts: async (project, { from, to }) => {
      if (!(await openProject(db, project))) return []
      const open = chats.find(
        { project, state: 'open', updatedAt: { $gte: from } },
        { projection: { messages: 1 } },
      )
      const uuids = (await open.toArray()).flatMap((chat) => Object.values(chat.messages))
      const counts = new Map<string, VerdictCount>()
      for (let at = 0; at < uuids.length; at += atOnce) {
        const answers = messages.find(
          { _id: { $in: uuids.slice(at, at + atOnce) }, createdAt: { $gte: from, $lt: to } },
          { projection: { createdAt: 1, 'trace.verdict': 1 } },
        )
        for (const { createdAt, trace } of await answers.toArray()) {
          if (!trace?.verdict) continue
          const date = createdAt.slice(0, 10)
          const key = `${date} ${trace.verdict}`
          counts.set(key, { date, verdict: trace.verdict, count: (counts.get(key)?.count ?? 0) + 1 })
        }
      }
      return [...counts].sort(([one], [other]) => (one < other ? -1 : 1)).map(([, count]) => count)
    },
    react: async (uuid, { reaction, comment }) => {
      if ((await named(uuid)) === null) return false
      const said = { $set: { feedback: reaction, comment } }
      return (await messages.updateOne({ _id: uuid, role: 'assistant' }, said)).matchedCount > 0
    },
  }
}
