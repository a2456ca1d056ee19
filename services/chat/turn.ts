// Performs a turn: stores the message, answers it, and stores the answer. A continuation extends an answer that was cut at the
// token limit.
import { type AnswerDeps, answerQuestion, type Question } from '../answer/answer-question.ts'
import { type AnswerTurn, composeAnswer } from '../answer/compose-answer.ts'
import { chooseLanguage } from '../answer/replies.ts'
import { toModelPassages } from '../answer/titles.ts'
import { maxMessages } from '../answer/write-answer.ts'
import { Conflict, DomainError } from '../errors.ts'
import type { Model } from '../model/model.ts'
import type { Meaning } from '../search/meaning.ts'
import type { FoundPassages, Passage, PassageRequest } from '../search/passage.ts'
import type { Chat, ChatMessage, Trace } from '../store/chat.ts'
import type { ChatStore } from '../store/chat-store.ts'
import type { Project } from '../store/project.ts'
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
  /** Whether the turn has to store the chat. */
  isNew: boolean
  /** See ChatAccess.writerOf. */
  writer: string | null
  email: string | null
  progress: boolean
}

/**
 * Pushes the turn's events, the last one a final event. Throws before any event: DomainError not_found if the chat was
 * deleted, chat_full if it has reached its limit, and errors of the store. Returns, for each search, whether it also searched
 * by meaning.
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
  const isKept = await isStored(() => deps.store.chats.append(answer, trace, null), deps)
  events.final(isKept === null ? toUnstored(answer) : answer, {
    userMessageId: asked.uuid,
    newChat: request.isNew,
    gone: isKept === false,
    verdict: trace.verdict,
    retryable: outcome.retryable,
  })
  return meanings
}

/** Returns false if the chat was deleted, null if the store fails. */
async function isStored(write: () => Promise<boolean>, deps: TurnDeps): Promise<boolean | null> {
  try {
    return await write()
  } catch (error) {
    deps.report(error)
    return null
  }
}

/** Marks an answer that could not be stored as interrupted: it may be missing when the chat is loaded again. */
function toUnstored(answer: ChatMessage): ChatMessage {
  const stopReason = failed.has(answer.stopReason) ? answer.stopReason : 'interrupted'
  return { ...answer, stopReason, incomplete: true, continuationAvailable: false }
}

const maxQuestions = 200

/** Of two concurrent turns, the later one goes after the answer of the other. Throws DomainError chat_full. */
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

interface ContinuationRequest {
  chat: Chat
  project: Project
  message: string
  progress: boolean
}

const failed: ReadonlySet<ChatMessage['stopReason']> = new Set(['error', 'interrupted', 'disconnected'])
/** Maximum passages per query. */
const maxPassages = 50
const unfiltered = { pageUrl: null, docVersion: null, language: null, sourceTypes: null }

/**
 * Pushes the events of the continuation. The final event has the whole text. Throws before any event: DomainError not_found,
 * not_continuable, or changed_meanwhile if a concurrent request continues the same answer.
 */
export async function performContinuation(
  request: ContinuationRequest,
  deps: TurnDeps,
  turn: LiveTurn,
): Promise<void> {
  const { chat } = request
  const { chats } = deps.store
  const cut = await chats.message(request.message)
  if (cut?.chat !== chat.uuid || cut.role !== 'assistant') {
    throw new DomainError('not_found', 'There is no such answer in the chat.')
  }
  // Without a language model, its answer cannot be continued.
  const { model } = deps
  if (!cut.continuationAvailable || model === null) {
    throw new DomainError('not_continuable', 'This answer cannot be continued.')
  }
  const trace = (await chats.trace(cut.uuid))!
  // Claimed before calling the model, so that only one request calls it.
  const claimed: ChatMessage = { ...cut, continuationAvailable: false, revision: cut.revision + 1 }
  if (!(await chats.rewrite(claimed, trace))) {
    throw new DomainError('changed_meanwhile', 'The answer is already being continued.')
  }

  const events = createTurnEvents(request, cut.uuid, deps.tokens, turn.push)
  const isAppendOnly = !request.progress
  const composing = { events, signal: turn.signal, startedAt: deps.clock(), isAppendOnly }
  const outcome = await continueAnswer(request, cut, trace, { ...deps, model }, composing).catch((error) => {
    deps.report(error)
    return null
  })
  const answer: ChatMessage = {
    ...cut,
    ...(outcome?.answer ?? { stopReason: 'error', incomplete: true }),
    revision: claimed.revision + 1,
  }
  // A failed continuation can be retried.
  answer.continuationAvailable ||= failed.has(answer.stopReason)
  const dropped = [...trace.dropped, ...(outcome?.trace.dropped ?? [])]
  const grown = { ...trace, ...outcome?.trace, dropped }
  const isKept = await isStored(() => chats.rewrite(answer, grown), deps)
  events.final(isKept === null ? toUnstored(answer) : answer, {
    verdict: grown.verdict,
    retryable: outcome?.retryable ?? true,
  })
}

async function continueAnswer(
  { chat, project }: ContinuationRequest,
  cut: ChatMessage,
  trace: Trace,
  deps: TurnDeps & { model: Model },
  turn: AnswerTurn,
) {
  const page = { below: cut.position, limit: maxMessages + 1 }
  const before = await deps.store.chats.messages(chat.uuid, page)
  const text = before.pop()?.content ?? ''
  const { queries, probability } = trace
  const language = chooseLanguage(await deps.readLanguages([text]))
  const question = { project, before, text, query: queries.at(-1) ?? text, language }
  const passages = await readPassages(cut, trace, deps, project)
  const { content: draft, sources } = cut
  return composeAnswer({ ...question, passages, draft, sources, queries, probability }, deps, turn)
}

/** Repeats the searches of the answer and labels the passages as it cites them: `[n]` is its n-th source. */
async function readPassages(cut: ChatMessage, trace: Trace, deps: TurnDeps, project: Project) {
  const found = new Map<string, Passage>()
  const request = { ...unfiltered, project: project.uuid, limit: maxPassages }
  for (const q of trace.queries) {
    const { passages } = await deps.passages({ ...request, q })
    for (const passage of passages) found.set(toKey(passage), passage)
  }
  const known = trace.passages.flatMap((passage) => found.get(toKey(passage)) ?? [])
  const passages = known.length > 0 ? known : [...found.values()].slice(0, trace.passages.length)
  let free = cut.sources.length
  const labels = new Set<number>()
  return toModelPassages(passages).map((passage) => {
    const number = cut.sources.findIndex(({ url }) => url === passage.url) + 1
    const label = number > 0 && !labels.has(number) ? number : ++free
    labels.add(label)
    return { ...passage, label }
  })
}

/** Identifies a text at an address, regardless of the page's version. */
function toKey({ url, contentHash }: { url: string; contentHash: string }): string {
  return `${contentHash} ${url}`
}
