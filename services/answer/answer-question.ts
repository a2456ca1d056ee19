// From a question to its answer: read, search, review, and write, point to sections or refuse.
import { TurnStage } from '../../gen/lectern/v1/turn_pb.js'
import type { ChatMessage } from '../store/chat.ts'
import type { Project } from '../store/project.ts'
import {
  type AnswerEvents,
  type ComposeDeps,
  composeAnswer,
  type Outcome,
  toTraced,
} from './compose-answer.ts'
import { languageOf } from './language.ts'
import { type Language, replies, toReply, toSmallTalk } from './replies.ts'
import { nearestOf } from './review.ts'
import { contextualize, type RetrievalMode, type RoundDeps, searchInRounds } from './search-rounds.ts'
import { toModelPassages } from './titles.ts'

export interface Question {
  project: Project
  before: ChatMessage[]
  text: string
  mode: RetrievalMode
  /** The page that the reader is on. */
  pageUrl: string | null
  /** Strict filters; null for all. */
  docVersion: string | null
  language: string | null
}

export type AnswerDeps = ComposeDeps & RoundDeps

/** Never throws: whatever happens is an outcome. */
export async function answerQuestion(
  question: Question,
  deps: AnswerDeps,
  events: AnswerEvents,
  signal: AbortSignal,
): Promise<Outcome> {
  const language = languageOf(question.text, question.language)
  try {
    return await answer(question, language, deps, events, signal)
  } catch (error) {
    if (!signal.aborted) deps.report(error)
    const stop = signal.aborted ? deps.stopOf(signal) : 'error'
    return { ...toOutcome(stop === 'disconnected' ? '' : replies[language].failed, null), stop }
  }
}

async function answer(
  { project, before, text, mode, pageUrl, docVersion, language: pageLanguage }: Question,
  language: Language,
  deps: AnswerDeps,
  events: AnswerEvents,
  signal: AbortSignal,
): Promise<Outcome> {
  events.stage(TurnStage.CONTEXTUALIZING)
  const smallTalk = toSmallTalk(text)
  // It asks for nothing, so that nothing is refused.
  if (smallTalk !== null) return toOutcome(smallTalk, deps.clock())
  const found = await searchInRounds(
    contextualize(text, before, mode),
    mode,
    { project: project.uuid, pageUrl, docVersion, language: pageLanguage, sourceTypes: null },
    deps,
    (searchRound) => {
      signal.throwIfAborted()
      events.stage(TurnStage.SEARCHING_DOCS, { searchRound })
    },
  )
  signal.throwIfAborted()
  events.stage(TurnStage.REVIEWING_RESULTS)
  const { review, queries } = found
  const { passages, probability } = review
  // A language model may tell from little whether it is the answer; a quotation of it would be passed off as one.
  const isAnswered =
    review.verdict === 'answerable' || (review.verdict === 'pointed' && !deps.model.isVerbatim)
  if (!isAnswered || passages.length === 0) {
    const verdict = review.verdict === 'refused' ? 'refused' : 'pointed'
    const nearest = nearestOf(found.passages)
    events.found({ documentCount: 0 })
    const outcome = toOutcome(toReply(verdict, nearest, language), deps.clock())
    const traced = found.passages.slice(0, nearest.length).map((passage) => toTraced(passage, false))
    return { ...outcome, trace: { ...emptyTrace, queries, verdict, probability, passages: traced } }
  }
  events.found({ documentCount: passages.length })
  return composeAnswer(
    {
      project,
      before,
      question: text,
      language,
      query: found.question,
      passages: toModelPassages(passages),
      draft: '',
      reason: mode === 'think',
      queries,
      probability,
    },
    deps,
    events,
    signal,
  )
}

const emptyTrace: Outcome['trace'] = {
  queries: [],
  model: 'none',
  promptVersion: 'none',
  verdict: null,
  probability: null,
  passages: [],
  dropped: [],
}

/** An answer that no model has written. */
function toOutcome(content: string, retrievedAt: number | null): Outcome {
  return {
    content,
    sources: [],
    stop: 'stop',
    continuations: 0,
    continuationAvailable: false,
    retryable: true,
    trace: emptyTrace,
    retrievedAt,
    firstTokenAt: null,
  }
}
