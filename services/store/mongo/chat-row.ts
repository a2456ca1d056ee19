// A chat as one document: what its messages add up to, and which message has which position. A message counts from the
// change of this document on that names it, and no longer than the document stands.
import type { Chat } from '../chat.ts'
import type { MongoDb } from './connection.ts'
import { openProject } from './project-row.ts'
import type { Stored } from './row.ts'

export interface ChatRow extends Stored<Chat> {
  state: 'open'
  /** Grows with every change: what the next one compares. */
  changes: number
  /** UUID of the message by its position, written `p0`, `p1`, … */
  messages: Record<string, string>
}

/** What an erased chat leaves until its messages are cleared: nothing of what was said. */
export interface ChatTombstone {
  _id: string
  project: string
  state: 'gone'
  /** Milliseconds since 1970. */
  goneAt: number
}

export const slotOf = (position: number): string => `p${position}`

export const positionsOf = ({ messages }: ChatRow): number[] =>
  Object.keys(messages).map((slot) => Number(slot.slice(1)))

export function fromChat({ uuid, ...rest }: Chat): ChatRow {
  return {
    _id: uuid,
    state: 'open',
    changes: 0,
    messages: {},
    ...rest,
  }
}

export const toChat = ({ _id, state, changes, messages, ...rest }: ChatRow): Chat => ({ uuid: _id, ...rest })

/** The chat where it and its project are there. */
export async function openChat(db: MongoDb, uuid: string): Promise<ChatRow | null> {
  const row = await db.collection<ChatRow>('chats').findOne({ _id: uuid })
  return row?.state === 'open' && (await openProject(db, row.project)) ? row : null
}
