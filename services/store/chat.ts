// Chats, their messages and the traces of answers, and what counts of them by day.
import { toKey, toPageKey } from './analytics.ts'

export interface Chat {
  uuid: string
  project: string
  createdAt: string
  updatedAt: string
  title: string
  email: string | null
  metadata: string | null
  /** The page on which the chat began. */
  url: string | null
  messageCount: number
  /** The connection that began the chat and may continue it; null for REST. */
  connection: string | null
  /** Keyed hash of the network address of the last message, and its time, for LECTERN_LEGACY_CHATS=same-address. */
  writer: string | null
  writtenAt: string
}

export type ChatRole = 'user' | 'assistant'

export type ChatStop = 'stop' | 'length' | 'content_filter' | 'error' | 'interrupted' | 'disconnected'

export interface ChatSource {
  title: string
  url: string
  /** Words of the section that the answer cites; absent if none. */
  quote?: string
}

export interface ChatMessage {
  uuid: string
  project: string
  chat: string
  /** Position in the chat, from 0, set by the caller. Question and answer of a turn have consecutive positions. */
  position: number
  role: ChatRole
  content: string
  createdAt: string
  sources: ChatSource[]
  /** 0, 1 or null. */
  feedback: number | null
  comment: string | null
  incomplete: boolean
  /** Null for a reader's message. */
  stopReason: ChatStop | null
  /** Number of automatic continuations, and whether the reader can request another. */
  continuationCount: number
  continuationAvailable: boolean
  /** 1 at first, incremented by each `rewrite`. */
  revision: number
}

/** Outcome of a question. `pointed`: no answer, but links to the nearest sections. `refused`: not covered by the documentation. */
export type Verdict = 'answered' | 'pointed' | 'refused'

/** Trace of an answer. */
export interface Trace {
  /** The queries searched for, with the context of the conversation. */
  queries: string[]
  /** For each search: `used` if it searched by meaning too, else the reason. Absent in traces of older versions. */
  meanings?: string[]
  model: string
  /** The failure of the language model, such as `openai:gpt-x: unavailable`; absent if there was none. */
  modelError?: string
  promptVersion: string
  /** Null if the message is not a question, or the answer failed. */
  verdict: Verdict | null
  /** Probability that the passages answer the question, 0 to 1; null without a search. */
  probability: number | null
  passages: {
    unit: string
    contentHash: string
    url: string
    score: number
    cited: boolean
    /** The words that the answer quotes; absent if none. */
    quote?: string
  }[]
  /** Citations, links and images removed from the draft. */
  dropped: { text: string; why: string }[]
  /** Milliseconds since the start of the turn. */
  timings: { retrieved: number; firstToken: number | null; done: number }
}

/**
 * Measures of messages. `chat`: new chats; `message`: readers' messages; `user`: readers' messages by email; `positive` and
 * `negative`: feedback, on the day of the answer; `answered`, `pointed` and `refused`: verdicts; `cited`: answers by cited
 * page; `asked_on`: questions by the page on which the chat began; `question`: questions by text; `unanswered`: questions
 * without an answer. Messages such as greetings are not questions.
 */
export const chatMeasures = [
  'chat',
  'message',
  'user',
  'positive',
  'negative',
  'answered',
  'pointed',
  'refused',
  'cited',
  'asked_on',
  'question',
  'unanswered',
] as const

export type ChatMeasure = (typeof chatMeasures)[number]

/** The counted fields of a message, its trace and its chat. */
export interface CountedMessage extends Pick<ChatMessage, 'role' | 'position' | 'sources' | 'feedback'> {
  /** Of an answer. */
  verdict: Verdict | null
  /** Text of the message that it answers. */
  question: string | null
  email: string | null
  url: string | null
}

export function messageCountsAs(message: CountedMessage): [ChatMeasure, string][] {
  const { role, position, sources, feedback, verdict, question, email, url } = message
  if (role === 'user') {
    return [
      ['message', ''],
      ...(position === 0 ? [['chat', ''] as [ChatMeasure, string]] : []),
      ...(email ? [['user', email] as [ChatMeasure, string]] : []),
    ]
  }
  const counted: [ChatMeasure, string][] = []
  if (feedback !== null) counted.push([feedback === 1 ? 'positive' : 'negative', ''])
  if (verdict === null) return counted
  const asked = toKey(question?.trim().replace(/\s+/g, ' ') ?? '')
  counted.push([verdict, ''], ['asked_on', toReaderPage(url)], ['question', asked])
  if (verdict !== 'answered') return [...counted, ['unanswered', asked]]
  const pages = new Set(sources.map((source) => toPageKey(source.url)))
  return [...counted, ...[...pages].map((page): [ChatMeasure, string] => ['cited', page])]
}

/** The address comes from the client. One that is too long for a key is treated as missing. */
function toReaderPage(url: string | null): string {
  const page = toPageKey(url)
  return page === toKey(page) ? page : ''
}
