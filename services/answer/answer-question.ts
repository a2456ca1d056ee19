// From a question to its answer: read, search, review, and write or refuse (decisions.md "Chat").
import { TurnStage } from '../../gen/lectern/v1/turn_pb.js'
import type { Passage } from '../search/passage.ts'
import type { ChatMessage } from '../store/chat.ts'
import type { Project } from '../store/project.ts'
import { type ComposeDeps, composeAnswer } from './compose-answer.ts'
import { contextualize, type RetrievalMode } from './contextualize.ts'
import { toCourtesy, withoutCourtesy } from './courtesy.ts'
import { type AnswerEvents, type Outcome, sentences } from './outcome.ts'
import { toModelPassages } from './passage-title.ts'
import { languageOfQuestion } from './question-language.ts'
import { toRefusal } from './refusal.ts'
import { type RoundDeps, searchInRounds } from './search-rounds.ts'

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
  try {
    return await answer(question, deps, events, signal)
  } catch (error) {
    if (!signal.aborted) deps.report(error)
    return toBroken(signal.aborted ? deps.stopOf(signal) : 'error')
  }
}

async function answer(
  question: Question,
  deps: AnswerDeps,
  events: AnswerEvents,
  signal: AbortSignal,
): Promise<Outcome> {
  const { project, before, text, mode, pageUrl, docVersion, language } = question
  events.stage(TurnStage.CONTEXTUALIZING)
  const courtesy = toCourtesy(text)
  // It asks for nothing, so that nothing is refused.
  if (courtesy !== null) return toOutcome(courtesy, deps.clock())
  const reading = contextualize(mode === 'instant' ? text : withoutCourtesy(text), before, mode)
  const found = await searchInRounds(
    reading,
    mode,
    { project: project.uuid, pageUrl, docVersion, language, sourceTypes: null },
    deps,
    (searchRound) => {
      signal.throwIfAborted()
      events.stage(TurnStage.SEARCHING_DOCS, { searchRound })
    },
  )
  signal.throwIfAborted()
  events.stage(TurnStage.REVIEWING_RESULTS)
  const { review, queries } = found
  if (review.verdict === 'refused') {
    events.found({ documentCount: 0 })
    return {
      ...toOutcome(toRefusal(review.nearest, languageOfQuestion(text)), deps.clock()),
      trace: {
        ...emptyTrace,
        queries,
        refused: review.reason,
        passages: found.passages.slice(0, review.nearest.length).map(toTraced),
      },
    }
  }
  events.found({ documentCount: review.passages.length })
  const shown = toModelPassages(review.passages)
  return composeAnswer(
    {
      project,
      before,
      question: text,
      query: found.question,
      passages: review.passages.map((passage, at) => ({
        label: shown[at]!.label,
        passage,
        shown: shown[at]!,
      })),
      draft: '',
      reason: mode === 'think',
      queries,
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
  refused: null,
  passages: [],
  dropped: [],
}

function toTraced({ unit, contentHash, url, score }: Passage) {
  return { unit, contentHash, url, score, cited: false }
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

function toBroken(stop: Outcome['stop']): Outcome {
  return { ...toOutcome(stop === 'disconnected' ? '' : sentences.error, null), stop }
}
