// A turn: the reader's message is stored, answered, and the answer stored as it ended.
import { type AnswerDeps, answerQuestion, type Question } from '../answer/answer-question.ts'
import { maxMessages } from '../answer/write-answer.ts'
import { Conflict, DomainError } from '../errors.ts'
import type { FoundPassages, PassageRequest } from '../search/passage.ts'
import type { Meaning } from '../search/question-vectors.ts'
import type { Chat, ChatMessage, ChatStore } from '../store/chat.ts'
import { type RestoreTokens, unknownChat } from './chat-access.ts'
import type { LiveTurn } from './live-turns.ts'
import { createTurnEvents } from './turn-events.ts'

export type TurnDeps = Omit<AnswerDeps, 'store' | 'passages'> & {
  passages(request: PassageRequest): Promise<FoundPassages>
  store: AnswerDeps['store'] & { chats: ChatStore }
  tokens: RestoreTokens
  newUuid(): string
}

interface TurnRequest extends Omit<Question, 'before'> {
  chat: Chat
  /** The chat is stored with the turn. */
  isNew: boolean
  /** Who writes; see ChatAccess.writerOf. */
  writer: string | null
  email: string | null
  progress: boolean
}

/**
 * Pushes the turn's events: exactly one final event, unless it throws before any: DomainError not_found where the chat
 * is gone, chat_full where it takes no more questions, and errors of the store. Answers for each search whether it went by meaning too,
 * as the trace does.
 */
export async function performTurn(request: TurnRequest, deps: TurnDeps, turn: LiveTurn): Promise<Meaning[]> {
  const { chat } = request
  const startedAt = deps.clock()
  const at = new Date(startedAt).toISOString()
  if (request.isNew) await deps.store.chats.insert(chat)
  const { asked, before } = await storeQuestion(request, deps, at)

  const messageId = deps.newUuid()
  const events = createTurnEvents(request, messageId, deps.tokens, turn.push)
  const meanings: Meaning[] = []
  const passages: TurnDeps['passages'] = async (wanted) => {
    const found = await deps.passages(wanted)
    meanings.push(found.meaning)
    return found
  }
  const outcome = await answerQuestion(
    { ...request, before },
    { ...deps, passages },
    { events, signal: turn.signal, startedAt, isAppendOnly: !request.progress },
  )
  const answer: ChatMessage = {
    ...asked,
    ...outcome.answer,
    uuid: messageId,
    position: asked.position + 1,
    role: 'assistant',
    createdAt: new Date(deps.clock()).toISOString(),
  }
  const trace = { ...outcome.trace, meanings }
  // A store that fails keeps no answer from its reader; a chat that is gone keeps nothing.
  const isKept = await deps.store.chats.append(answer, trace, null).catch((error) => {
    deps.report(error)
    return true
  })
  const { retryable } = outcome
  const end = { userMessageId: asked.uuid, newChat: request.isNew, gone: !isKept }
  events.final(answer, { ...end, verdict: trace.verdict, retryable })
  return meanings
}

const maxQuestions = 200

/** If a chat has two turns at once, the later one comes after the answer of the other. Throws DomainError chat_full. */
async function storeQuestion(
  { chat, text, writer, email }: TurnRequest,
  { store, newUuid }: TurnDeps,
  at: string,
): Promise<{ asked: ChatMessage; before: ChatMessage[] }> {
  const uuid = newUuid()
  for (;;) {
    const before = await store.chats.messages(chat.uuid, { limit: maxMessages })
    const next = (before.at(-1)?.position ?? -1) + 1
    const position = next + (next % 2)
    if (position >= 2 * maxQuestions) {
      const sentence = `This chat holds ${maxQuestions} questions, which is the limit. Start a new chat.`
      throw new DomainError('chat_full', sentence)
    }
    const asked: ChatMessage = {
      uuid,
      team: chat.team,
      project: chat.project,
      chat: chat.uuid,
      position,
      role: 'user',
      content: text,
      createdAt: at,
      sources: [],
      feedback: null,
      comment: null,
      incomplete: false,
      stopReason: null,
      continuationCount: 0,
      continuationAvailable: false,
      revision: 1,
    }
    try {
      if (!(await store.chats.append(asked, null, { hash: writer, at, email }))) throw unknownChat()
      return { asked, before }
    } catch (error) {
      if (!(error instanceof Conflict)) throw error
    }
  }
}
