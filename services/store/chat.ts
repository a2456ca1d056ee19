// Chats, their messages and the traces of answers.
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

export interface VerdictCount {
  /** `2026-01-31`, UTC. */
  date: string
  verdict: Verdict
  count: number
}

/** How an answer came about. */
export interface Trace {
  /** As searched for, after the conversation was read. */
  queries: string[]
  /** For each search of the turn `used` where it went by meaning too, else why not; absent in traces of older versions. */
  meanings?: string[]
  model: string
  promptVersion: string
  /** Null where nothing was asked, and where the answer failed. */
  verdict: Verdict | null
  /** That what was found answers the question, 0 to 1; null where nothing was looked for. */
  probability: number | null
  passages: { unit: string; contentHash: string; url: string; score: number; cited: boolean }[]
  /** Citations, links and images that were taken out of the draft. */
  dropped: { text: string; why: string }[]
  /** Milliseconds from the start of the turn. */
  timings: { retrieved: number; firstToken: number | null; done: number }
}

export interface ChatStore {
  /** The same uuid again changes nothing. */
  insert(chat: Chat): Promise<void>
  get(uuid: string): Promise<Chat | null>
  /** Newest first, by createdAt, those of one moment by uuid. */
  list(project: string, page: PageRequest): Promise<Paged<Chat>>
  /**
   * Adds a message, with its trace where it is an answer, and carries the chat's updatedAt, messageCount, writer and
   * writtenAt forward; an e-mail is kept where the chat has none yet, so that erasing a person finds it. Conflict
   * (`position`) where another message of the chat has the position. The same uuid again changes nothing. False when the
   * chat is gone.
   */
  append(
    message: ChatMessage,
    trace: Trace | null,
    writer: { hash: string | null; at: string; email: string | null } | null,
  ): Promise<boolean>
  /** Writes content, sources, incomplete, stopReason, continuation fields and trace if the stored revision is `message.revision - 1`. */
  rewrite(message: ChatMessage, trace: Trace): Promise<boolean>
  message(uuid: string): Promise<ChatMessage | null>
  /** By position. */
  messages(chat: string): Promise<ChatMessage[]>
  trace(message: string): Promise<Trace | null>
  /**
   * How many answers from `from` (included) to `to` (excluded) came out which way, by date and verdict; none where there
   * are none, and those without a verdict are left out.
   */
  verdicts(project: string, range: { from: string; to: string }): Promise<VerdictCount[]>
  /** False when there is no such answer. */
  react(message: string, feedback: { reaction: number; comment: string | null }): Promise<boolean>
  /** With messages and traces. False when there was none. */
  delete(project: string, uuid: string): Promise<boolean>
  /** Every chat that carries the e-mail; answers how many went. */
  deleteByEmail(project: string, email: string): Promise<number>
  /** Chats last changed before the time, at most `limit`, oldest first; answers how many went. */
  expire(project: string, before: string, limit: number): Promise<number>
}
