// Asks questions, and reads the traces of answers.
import type { Message, TurnTrace } from './reader-rows.ts'
import { api, may } from './session.ts'
import { projectPath } from './sources.ts'

export interface Answer {
  chat: string | null
  /** UUID of the answer. */
  message: string | null
  content: string
  sources: Message['sources']
  stopReason: string | null
  /** Null without a trace, or without the permission to read it. */
  trace: TurnTrace | null
}

export interface Question {
  message: string
  version?: string | null
  language?: string | null
  think_mode?: boolean
}

interface TurnFinal {
  chat_uuid: string
  ai_message: {
    message: string
    messageId: string
    sources: Message['sources']
    stopReason: string | null
  } | null
}

/** Asks in a new conversation, which is stored with the tag `console`. */
export async function ask(slug: string, question: Question, signal?: AbortSignal): Promise<Answer> {
  const body = { ...question, metadata: 'console' }
  const { chat_uuid, ai_message } = await api.post<TurnFinal>(projectPath(slug, 'chats/'), body, signal)
  const message = ai_message?.messageId ?? null
  return {
    chat: chat_uuid,
    message,
    content: ai_message?.message ?? '',
    sources: ai_message?.sources ?? [],
    stopReason: ai_message?.stopReason ?? null,
    trace: message === null ? null : await readTrace(slug, message, signal),
  }
}

export async function readTrace(
  slug: string,
  message: string,
  signal?: AbortSignal,
): Promise<TurnTrace | null> {
  if (!may('chats_read')) return null
  return api.get<TurnTrace>(projectPath(slug, `messages/${message}/trace/`), {}, signal)
}
