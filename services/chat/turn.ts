// A turn: the reader's message is stored, answered, and the answer stored as it ended.
import { type AnswerDeps, answerQuestion, type Question } from '../answer/answer-question.ts'
import type { Outcome } from '../answer/compose-answer.ts'
import { Conflict } from '../errors.ts'
import type { FoundPassages, PassageRequest } from '../search/passage.ts'
import type { Meaning } from '../search/question-vectors.ts'
import type { Chat, ChatMessage, ChatStore, Trace } from '../store/chat.ts'
import { type RestoreTokens, unknownChat } from './chat-access.ts'
import type { LiveTurn } from './live-turns.ts'
import { createTurnEvents } from './turn-events.ts'

export type TurnDeps = Omit<AnswerDeps, 'store' | 'passages'> & {
  passages(request: PassageRequest): Promise<FoundPassages>
  store: AnswerDeps['store'] & { chats: ChatStore }
  tokens: RestoreTokens
  newUuid(): string
}

export interface TurnRequest extends Omit<Question, 'before'> {
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
 * is gone, and what the store throws. Answers whether each of its searches went by meaning too, as its trace says.
 */
export async function performTurn(request: TurnRequest, deps: TurnDeps, turn: LiveTurn): Promise<Meaning[]> {
  const { chat, project } = request
  const startedAt = deps.clock()
  const at = new Date(startedAt).toISOString()
  if (request.isNew) await deps.store.chats.insert(chat)
  const { asked, before } = await storeQuestion(request, deps, at)

  const messageId = deps.newUuid()
  const events = createTurnEvents(
    {
      chat: chat.uuid,
      slug: project.slug,
      messageId,
      restoreToken: deps.tokens.of(chat.uuid),
      progress: request.progress,
    },
    turn.push,
  )
  const meanings: Meaning[] = []
  const passages: TurnDeps['passages'] = async (wanted) => {
    const found = await deps.passages(wanted)
    meanings.push(found.meaning)
    return found
  }
  const outcome = await answerQuestion({ ...request, before }, { ...deps, passages }, events, turn.signal)
  const now = deps.clock()
  const answer: ChatMessage = {
    ...asked,
    ...toAnswerFields(outcome),
    uuid: messageId,
    position: asked.position + 1,
    role: 'assistant',
    createdAt: new Date(now).toISOString(),
  }
  const kept = await storeAnswer(answer, { ...toTrace(outcome, startedAt, now), meanings }, deps)
  events.final(answer, {
    userMessageId: asked.uuid,
    newChat: request.isNew,
    kept,
    verdict: outcome.trace.verdict,
    retryable: outcome.retryable,
  })
  return meanings
}

/** Of two turns at once in a chat the later one asks after the answer of the other. */
async function storeQuestion(
  { chat, text, writer, email }: TurnRequest,
  { store, newUuid }: TurnDeps,
  at: string,
): Promise<{ asked: ChatMessage; before: ChatMessage[] }> {
  const uuid = newUuid()
  for (;;) {
    const before = await store.chats.messages(chat.uuid)
    const last = before.at(-1)?.position ?? -1
    const asked: ChatMessage = {
      uuid,
      team: chat.team,
      project: chat.project,
      chat: chat.uuid,
      position: last + 1 + ((last + 1) % 2),
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

/** False when the chat is gone, which keeps nothing. A store that fails keeps no answer from its reader. */
async function storeAnswer(answer: ChatMessage, trace: Trace, { store, report }: TurnDeps) {
  try {
    return await store.chats.append(answer, trace, null)
  } catch (error) {
    report(error)
    return true
  }
}

/** What an answer's row takes from the outcome. */
export function toAnswerFields(outcome: Outcome) {
  return {
    content: outcome.content,
    sources: outcome.sources,
    stopReason: outcome.stop,
    incomplete: outcome.stop !== 'stop',
    continuationCount: outcome.continuations,
    continuationAvailable: outcome.continuationAvailable,
  } satisfies Partial<ChatMessage>
}

export function toTrace(
  { trace, retrievedAt, firstTokenAt }: Outcome,
  startedAt: number,
  now: number,
): Trace {
  return {
    ...trace,
    timings: {
      retrieved: (retrievedAt ?? now) - startedAt,
      firstToken: firstTokenAt === null ? null : firstTokenAt - startedAt,
      done: now - startedAt,
    },
  }
}
