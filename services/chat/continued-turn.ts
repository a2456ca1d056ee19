// Continues an answer that was cut by length: the same message, grown.
import { type AnswerTurn, composeAnswer } from '../answer/compose-answer.ts'
import { languageOf } from '../answer/replies.ts'
import { toModelPassages } from '../answer/titles.ts'
import { maxMessages } from '../answer/write-answer.ts'
import { DomainError } from '../errors.ts'
import type { Passage } from '../search/passage.ts'
import type { Chat, ChatMessage, Trace } from '../store/chat.ts'
import type { Project } from '../store/project.ts'
import type { LiveTurn } from './live-turns.ts'
import type { TurnDeps } from './turn.ts'
import { createTurnEvents } from './turn-events.ts'

interface ContinuationRequest {
  chat: Chat
  project: Project
  /** UUID of the answer. */
  message: string
  progress: boolean
}

const failed: ReadonlySet<ChatMessage['stopReason']> = new Set(['error', 'interrupted', 'disconnected'])
/** Of one query. */
const maxPassages = 50
const unfiltered = { pageUrl: null, docVersion: null, language: null, sourceTypes: null }

/**
 * Pushes the events of the continuation; the final one carries the whole text. Throws before any of them DomainError
 * not_found, not_continuable, or changed_meanwhile for all but one of those who continue the same answer at once.
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
  // What quotes passages has nothing to add to what a language model began.
  if (!cut.continuationAvailable || deps.model.isVerbatim) {
    throw new DomainError('not_continuable', 'There is nothing to go on with in this answer.')
  }
  const trace = (await chats.trace(cut.uuid))!
  // Taken before the model is asked, so that only one asks it.
  const taken: ChatMessage = { ...cut, continuationAvailable: false, revision: cut.revision + 1 }
  if (!(await chats.rewrite(taken, trace))) {
    throw new DomainError('changed_meanwhile', 'The answer is being gone on with already.')
  }

  const events = createTurnEvents(request, cut.uuid, deps.tokens, turn.push)
  const composing = {
    events,
    signal: turn.signal,
    startedAt: deps.clock(),
    isAppendOnly: !request.progress,
  }
  const outcome = await continueAnswer(request, cut, trace, deps, composing).catch((error) => {
    deps.report(error)
    return null
  })
  const answer: ChatMessage = {
    ...cut,
    ...(outcome?.answer ?? { stopReason: 'error', incomplete: true }),
    revision: taken.revision + 1,
  }
  // What failed can be tried again.
  answer.continuationAvailable ||= failed.has(answer.stopReason)
  const dropped = [...trace.dropped, ...(outcome?.trace.dropped ?? [])]
  const grown = { ...trace, ...outcome?.trace, dropped }
  await chats.rewrite(answer, grown).catch(deps.report)
  events.final(answer, { verdict: grown.verdict, retryable: outcome?.retryable ?? true })
}

async function continueAnswer(
  { chat, project }: ContinuationRequest,
  cut: ChatMessage,
  trace: Trace,
  deps: TurnDeps,
  turn: AnswerTurn,
) {
  const page = { below: cut.position, limit: maxMessages + 1 }
  const before = await deps.store.chats.messages(chat.uuid, page)
  const text = before.pop()?.content ?? ''
  const { queries, probability } = trace
  const language = await languageOf(text, deps.readLanguages)
  const question = { project, before, text, query: queries.at(-1) ?? text, language }
  const passages = await passagesOf(cut, trace, deps, project)
  return composeAnswer({ ...question, passages, draft: cut.content, queries, probability }, deps, turn)
}

/** Found again by the queries of the answer so far, and labelled as it cites them: `[n]` is the n-th of its sources. */
async function passagesOf(cut: ChatMessage, trace: Trace, deps: TurnDeps, project: Project) {
  const found = new Map<string, Passage>()
  const request = { ...unfiltered, project: project.uuid, limit: maxPassages }
  for (const q of trace.queries) {
    const { passages } = await deps.passages({ ...request, q })
    for (const passage of passages) found.set(toKey(passage), passage)
  }
  const known = trace.passages.flatMap((passage) => found.get(toKey(passage)) ?? [])
  const passages = known.length > 0 ? known : [...found.values()].slice(0, trace.passages.length)
  let free = cut.sources.length
  const taken = new Set<number>()
  return toModelPassages(passages).map((passage) => {
    const number = cut.sources.findIndex(({ url }) => url === passage.url) + 1
    const label = number > 0 && !taken.has(number) ? number : ++free
    taken.add(label)
    return { ...passage, label }
  })
}

/** The same text at the same address, whatever version of its page it stands in by now. */
function toKey({ url, contentHash }: { url: string; contentHash: string }): string {
  return `${contentHash} ${url}`
}
