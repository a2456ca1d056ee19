// Rows of chats for the cases of the contract.
import type { Chat, ChatMessage, Trace } from '../../services/store/chat.ts'
import type { Store } from '../../services/store/store.ts'
import { at, project } from './store-case.ts'

export const chat = (uuid = 'chat', change: Partial<Chat> = {}): Chat => ({
  uuid,
  project: 'p1',
  createdAt: at(1),
  updatedAt: at(1),
  title: 'How do I begin?',
  email: 'ann@docs.test',
  metadata: 'widget',
  url: 'https://docs.test/a',
  messageCount: 0,
  connection: 'socket 1',
  writer: null,
  writtenAt: at(1),
  ...change,
})

/** A reader's message, `q<position>`. */
export const question = (position: number, change: Partial<ChatMessage> = {}): ChatMessage => ({
  uuid: `q${position}`,
  project: 'p1',
  chat: 'chat',
  position,
  role: 'user',
  content: `Question ${position}?`,
  createdAt: at(2 + position),
  sources: [],
  feedback: null,
  comment: null,
  incomplete: false,
  stopReason: null,
  continuationCount: 0,
  continuationAvailable: false,
  revision: 1,
  ...change,
})

/** An answer, `a<position>`, which can be continued. */
export const answer = (position: number, change: Partial<ChatMessage> = {}): ChatMessage =>
  question(position, {
    uuid: `a${position}`,
    role: 'assistant',
    content: `Answer ${position} [1]`,
    sources: [{ title: 'A', url: 'https://docs.test/a#b' }],
    incomplete: true,
    stopReason: 'length',
    continuationCount: 3,
    continuationAvailable: true,
    ...change,
  })

export const trace = (change: Partial<Trace> = {}): Trace => ({
  queries: ['begin'],
  model: 'scripted',
  promptVersion: 'v3',
  verdict: 'answered',
  probability: 0.9,
  passages: [{ unit: 'u1', contentHash: 'h1', url: 'https://docs.test/a#b', score: 0.5, cited: true }],
  dropped: [{ text: '[9]', why: 'names no passage' }],
  timings: { retrieved: 3, firstToken: 12, done: 90 },
  ...change,
})

/** The project p1 with a chat of one turn: `q0`, `a1`. */
export const withTurn = async (store: Store): Promise<void> => {
  await store.projects.insert(project())
  await store.chats.insert(chat())
  await store.chats.append(question(0), null, { hash: 'w1', at: at(2), email: null })
  await store.chats.append(answer(1), trace(), null)
}
