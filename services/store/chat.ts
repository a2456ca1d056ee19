// Chats, their messages and the traces of answers.
import { type CountedDays, toKey, toPageKey } from './analytics.ts'
import type { Paged, PageRequest } from './paging.ts'

export interface Chat {
  uuid: string
  team: string
  project: string
  createdAt: string
  updatedAt: string
  title: string
  email: string | null
  metadata: string | null
  /** The page that it began on. */
  url: string | null
  messageCount: number
  /** The connection that began it, which may go on with it; null for REST. */
  connection: string | null
  /** Keyed hash of the address that wrote last, and when: what LECTERN_LEGACY_CHATS=same-address asks. No raw address. */
  writer: string | null
  writtenAt: string
}

export type ChatRole = 'user' | 'assistant'

export type ChatStop = 'stop' | 'length' | 'content_filter' | 'error' | 'interrupted' | 'disconnected'

export interface ChatSource {
  title: string
  url: string
  /** Words of the section that the answer rests on, where it quotes any. */
  quote?: string
}

export interface ChatMessage {
  uuid: string
  team: string
  project: string
  chat: string
  /** From 0 in the chat, given by the caller: question and answer of a turn are two positions side by side. */
  position: number
  role: ChatRole
  content: string
  createdAt: string
  sources: ChatSource[]
  /** 0, 1 or null; the comment is null without one. */
  feedback: number | null
  comment: string | null
  incomplete: boolean
  /** Null for a reader's message. */
  stopReason: ChatStop | null
  /** Automatic continuations so far, and whether the reader can ask for more. */
  continuationCount: number
  continuationAvailable: boolean
  /** Grows by one with every `rewrite`; 1 at first. */
  revision: number
}

/** How a question came out. `pointed`: no answer, the nearest sections are named; `refused`: the documentation does not hold it. */
export type Verdict = 'answered' | 'pointed' | 'refused'

/** How an answer came about. */
export interface Trace {
  /** As searched for, after the conversation was read. */
  queries: string[]
  /** For each search of the turn `used` where it went by meaning too, else why not; absent in traces of older versions. */
  meanings?: string[]
  model: string
  /** Why the language model wrote no answer, or not all of it, such as `openai:gpt-x: unavailable`; absent where nothing failed. */
  modelError?: string
  promptVersion: string
  /** Null where nothing was asked, and where the answer failed. */
  verdict: Verdict | null
  /** That what was found answers the question, 0 to 1; null where nothing was looked for. */
  probability: number | null
  passages: {
    unit: string
    contentHash: string
    url: string
    score: number
    cited: boolean
    /** The words that the answer quotes of it; absent where it quotes none. */
    quote?: string
  }[]
  /** Citations, links and images that were taken out of the draft. */
  dropped: { text: string; why: string }[]
  /** Milliseconds from the start of the turn. */
  timings: { retrieved: number; firstToken: number | null; done: number }
}

/**
 * What messages count as. `chat`: chats that began; `message`: readers' messages; `user`: those of each e-mail; `positive` and
 * `negative`: feedback, on the day of its answer; `answered`, `pointed` and `refused`: verdicts; `cited`: pages that
 * answers cite; `asked_on`: questions by the page that their chat began on; `question`: all questions, by their text, and
 * `unanswered`: those without an answer. A message that asks nothing, such as a greeting, is no question.
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

/** What of a message, its trace and its chat is counted. */
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

/** The address that a client sent, which may be any text: an address that is too long for a key counts as none. */
function toReaderPage(url: string | null): string {
  const page = toPageKey(url)
  return page === toKey(page) ? page : ''
}

/** Which messages of a chat are read; 100 and none skipped unless given. */
export interface MessagePage {
  limit?: number
  offset?: number
  below?: number
}

/** Filters of chats; an absent one matches all. */
export interface ChatFilter {
  /** Of an answer. */
  verdict?: Verdict
  /** Of an answer; of the same one where `verdict` is given too. */
  reaction?: number
  /** Text in any message, case-insensitive. */
  text?: string
  /** createdAt is from this on. */
  from?: string
  /** createdAt is less. */
  before?: string
}

export interface ChatStore extends CountedDays<ChatMeasure> {
  insert(chat: Chat): Promise<void>
  get(uuid: string): Promise<Chat | null>
  /** Newest first, by createdAt, those of one moment by uuid. */
  list(project: string, page: PageRequest): Promise<Paged<Chat>>
  /** Those that the filter matches, in the same order. It reads every chat of the time, in steps that hold up nobody. */
  search(project: string, filter: ChatFilter, page: PageRequest): Promise<Paged<Chat>>
  /**
   * Adds a message, with its trace where it is an answer, and carries the chat's updatedAt, messageCount, writer and
   * writtenAt forward; an e-mail is kept where the chat has none yet, so that erasing a person finds it. Conflict
   * (`position`) where another message of the chat has the position. False when the chat is gone.
   */
  append(
    message: ChatMessage,
    trace: Trace | null,
    writer: { hash: string | null; at: string; email: string | null } | null,
  ): Promise<boolean>
  /** Updates content, sources, incomplete, stopReason, continuation fields and trace. */
  rewrite(message: ChatMessage, trace: Trace): Promise<boolean>
  message(uuid: string): Promise<ChatMessage | null>
  /** The newest `limit` of the messages below a position, after `offset` newer ones; by position. */
  messages(chat: string, page?: MessagePage): Promise<ChatMessage[]>
  trace(message: string): Promise<Trace | null>
  /** False when there is no such answer. */
  react(message: string, feedback: { reaction: number; comment: string | null }): Promise<boolean>
  /** With messages and traces. */
  delete(project: string, uuid: string): Promise<boolean>
  /** Every chat that carries the e-mail; answers how many went. */
  deleteByEmail(project: string, email: string): Promise<number>
  /** Chats last changed before the time, at most `limit`, oldest first; answers how many went. */
  expire(project: string, before: string, limit: number): Promise<number>
}
