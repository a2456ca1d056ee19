// Continues an answer that was cut by length: the same message, grown.
import { composeAnswer } from '../answer/compose-answer.ts'
import { languageOf } from '../answer/language.ts'
import { toModelPassages } from '../answer/titles.ts'
import { DomainError } from '../errors.ts'
import type { Passage } from '../search/passage.ts'
import type { Chat, ChatMessage, Trace } from '../store/chat.ts'
import type { Project } from '../store/project.ts'
import type { LiveTurn } from './live-turns.ts'
import { type TurnDeps, toAnswerFields, toTrace } from './turn.ts'
import { createTurnEvents, type TurnEvents } from './turn-events.ts'

export interface ContinuationRequest {
  chat: Chat
  project: Project
  /** UUID of the answer. */
  message: string
  progress: boolean
}

const failed = new Set(['error', 'interrupted', 'disconnected'])
/** Of one query. */
const maxPassages = 50

/**
 * Pushes the events of the continuation; the final one carries the whole text. Throws before any of them DomainError
 * not_found, not_continuable, or changed_meanwhile for all but one of those who continue the same answer at once.
 */
export async function performContinuation(
  request: ContinuationRequest,
  deps: TurnDeps,
  turn: LiveTurn,
): Promise<void> {
  const { chat, project } = request
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

  const events = createTurnEvents(
    {
      chat: chat.uuid,
      slug: project.slug,
      messageId: cut.uuid,
      restoreToken: deps.tokens.of(chat.uuid),
      progress: request.progress,
    },
    turn.push,
  )
  const grown = await continueAnswer(request, cut, trace, deps, events, turn).catch((error) => {
    deps.report(error)
    return { answer: { ...cut, stopReason: 'error' as const, incomplete: true }, trace, retryable: true }
  })
  const answer: ChatMessage = { ...grown.answer, revision: taken.revision + 1 }
  await chats.rewrite(answer, grown.trace).catch(deps.report)
  events.final(answer, {
    userMessageId: null,
    newChat: false,
    kept: true,
    verdict: grown.trace.verdict,
    retryable: grown.retryable,
  })
}

async function continueAnswer(
  { chat, project }: ContinuationRequest,
  cut: ChatMessage,
  trace: Trace,
  deps: TurnDeps,
  events: TurnEvents,
  { signal }: LiveTurn,
) {
  const startedAt = deps.clock()
  const messages = await deps.store.chats.messages(chat.uuid)
  const before = messages.filter(({ position }) => position < cut.position)
  const question = before.pop()?.content ?? ''
  const outcome = await composeAnswer(
    {
      project,
      before,
      question,
      query: trace.queries.at(-1) ?? question,
      language: languageOf(question),
      passages: await passagesOf(cut, trace, deps, project),
      draft: cut.content,
      reason: false,
      queries: trace.queries,
      probability: trace.probability,
    },
    deps,
    events,
    signal,
  )
  const fields = toAnswerFields(outcome)
  return {
    answer: {
      ...cut,
      ...fields,
      // What failed can be tried again.
      continuationAvailable: fields.continuationAvailable || failed.has(outcome.stop),
    },
    trace: toTrace(
      {
        ...outcome,
        trace: {
          ...outcome.trace,
          ...(trace.meanings && { meanings: trace.meanings }),
          dropped: [...trace.dropped, ...outcome.trace.dropped],
        },
      },
      startedAt,
      deps.clock(),
    ),
    retryable: outcome.retryable,
  }
}

/**
 * The passages of the answer so far, found again by its queries. Their labels are the numbers that the text has by
 * now: `[n]` is the n-th of its sources; those that it does not cite come after them.
 */
async function passagesOf(cut: ChatMessage, trace: Trace, deps: TurnDeps, project: Project) {
  const found = new Map<string, Passage>()
  for (const q of trace.queries) {
    const { passages } = await deps.passages({
      project: project.uuid,
      q,
      pageUrl: null,
      limit: maxPassages,
      docVersion: null,
      language: null,
      sourceTypes: null,
    })
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
