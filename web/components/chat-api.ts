// REST calls of the chat: conversation, continuation, feedback. The restore token authorizes them.
import { type ApiCall, readText } from './api.ts'
import { createTurn, readOutcome, readSources, type Source, type Turn } from './turn.ts'

/** A conversation, with the token that gives access to it. */
export interface Chat {
  chatId: string
  restoreToken: string
}

/** The continued answer. */
export interface Continuation {
  text: string
  sources: Source[]
  incomplete: boolean
  canContinue: boolean
  stopReason: string | null
}

export interface ChatApi {
  /** The turns of a chat, oldest first. */
  conversation(chat: Chat): Promise<Turn[]>
  /** Fetches the rest of an answer that was cut at the length limit. */
  goOn(chat: Chat, messageId: string, signal?: AbortSignal): Promise<Continuation>
  react(chat: Chat, messageId: string, reaction: 0 | 1, comment?: string): Promise<unknown>
}

export function createChatApi(call: ApiCall): ChatApi {
  const withToken = ({ restoreToken }: Chat) => ({ 'x-chat-restore-token': restoreToken })

  return {
    async conversation(chat) {
      const path = `chats/${encodeURIComponent(chat.chatId)}/`
      const messages: Message[] = []
      // The server returns pages, newest first.
      for (let next: unknown = ''; next !== null; ) {
        const options = { headers: withToken(chat) }
        const page = (await call(`${path}?limit=100&offset=${messages.length}`, options)) as Page
        messages.push(...page.messages)
        next = page.next ?? null
      }
      return readTurns(messages.reverse())
    },

    async goOn(chat, messageId, signal) {
      const body = { chat_uuid: chat.chatId, continue_message_id: messageId }
      const answer = (await call('chats/', { method: 'POST', headers: withToken(chat), body, signal })) as {
        ai_message: Record<string, unknown>
      }
      const { message, sources, incomplete, continuationAvailable, stopReason } = answer.ai_message
      return {
        text: readText(message),
        sources: readSources(sources),
        incomplete: incomplete === true,
        canContinue: continuationAvailable === true,
        stopReason: readText(stopReason) || null,
      }
    },

    react: (chat, messageId, reaction, comment) =>
      call(`messages/${encodeURIComponent(messageId)}/feedback/`, {
        method: 'POST',
        headers: withToken(chat),
        body: { reaction, ...(comment && { comment }) },
      }),
  }
}

interface Page {
  messages: Message[]
  next?: unknown
}

type Message = Record<string, unknown>

/** A turn for each question, oldest first. */
export function readTurns(messages: Message[]): Turn[] {
  const turns: Turn[] = []
  for (const message of messages) {
    const last = turns.at(-1)
    if (message.role === 'user') {
      const turn = createTurn(readText(message.content), readText(message.uuid))
      turns.push({ ...turn, phase: 'broken', notice: { code: 'unanswered' }, retryable: true })
    } else if (last?.messageId === null) {
      turns[turns.length - 1] = { ...last, ...readAnswer(message) }
    }
  }
  return turns
}

function readAnswer({
  uuid,
  content,
  sources,
  feedback,
  incomplete,
  outcome,
  stop_reason,
}: Message): Partial<Turn> {
  const stopReason = readText(stop_reason) || null
  const isWhole = !['error', 'interrupted', 'disconnected'].includes(stopReason ?? '')
  return {
    phase: isWhole ? 'done' : 'broken',
    messageId: readText(uuid),
    text: readText(content),
    sources: readSources(sources),
    feedback: feedback === 0 || feedback === 1 ? feedback : null,
    outcome: readOutcome(outcome),
    incomplete: incomplete === true,
    canContinue: incomplete === true && stopReason === 'length',
    stopReason,
    notice: isWhole ? null : { code: 'interrupted' },
    retryable: !isWhole,
  }
}
