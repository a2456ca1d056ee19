// From a question to its answer: read, search, review, and write, point to sections or refuse.
import { TurnStage } from '../../gen/lectern/v1/turn_pb.js'
import { toEmbedderName } from '../model/local/embed-call.ts'
import { localModels } from '../model/local/models.ts'
import type { Model } from '../model/model.ts'
import { type Passage, toInline } from '../search/passage.ts'
import { isRatherIn } from '../stop-words.ts'
import type { ChatMessage, ChatStop, Trace } from '../store/chat.ts'
import type { Project } from '../store/project.ts'
import {
  type AnswerTurn,
  type ComposeDeps,
  composeAnswer,
  noContinuation,
  type Outcome,
  quoteAnswer,
  toSectionLinks,
  toTraced,
} from './compose-answer.ts'
import type { Quote } from './extractive.ts'
import { contextualize, type RetrievalMode } from './follow-up.ts'
import {
  chooseLanguage,
  type Language,
  languages,
  type ReadLanguages,
  replies,
  toForeignReply,
  toReply,
} from './replies.ts'
import { type RoundDeps, searchInRounds } from './review.ts'
import { readSmallTalk, replyToSmallTalk } from './small-talk.ts'
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

export type AnswerDeps = Omit<ComposeDeps, 'model'> &
  RoundDeps & {
    readLanguages: ReadLanguages
    /** Null: sections are quoted, as when the model cannot be reached. */
    model: Model | null
    quote: Quote
  }

/**
 * Probability below which a refusal names no sections, because they are not related to the question: no answerable question of
 * the manuals is below it, and almost half of the unanswerable ones are (`npm run bench -- excerpts`).
 */
const minNamed = 0.1

/** Whether the embedding model compares texts of any two languages. */
const knowsAllLanguages = (model: string | null) =>
  localModels.some(({ name, languages }) => languages === null && toEmbedderName(name) === model)

/** Never throws: every failure is an outcome. */
export async function answerQuestion(
  question: Question,
  deps: AnswerDeps,
  turn: AnswerTurn,
): Promise<Outcome> {
  const { signal, startedAt } = turn
  const { text, before } = question
  const earlier = before.filter(({ role }) => role === 'user').map(({ content }) => content)
  const read = await deps.readLanguages([text, ...earlier.reverse()])
  const language = chooseLanguage(read, question.language)
  const own = (content: string, trace: Partial<Trace> = {}, stopReason: ChatStop = 'stop') =>
    toOutcome(content, deps.clock() - startedAt, trace, stopReason)
  return answer(question, { language, asked: read[0] ?? null }, own, deps, turn).catch((error) => {
    if (!signal.aborted) deps.report(error)
    const stop = signal.aborted ? deps.stopOf(signal) : 'error'
    return own(stop === 'disconnected' ? '' : replies[language].failed, {}, stop)
  })
}

async function answer(
  { project, before, text, mode, pageUrl, docVersion, language: pageLanguage }: Question,
  /** Of the reply, and of the question itself. The latter is null if the question is too short to detect its language. */
  { language: detected, asked }: { language: Language; asked: Language | null },
  own: (content: string, trace?: Partial<Trace>) => Outcome,
  deps: AnswerDeps,
  turn: AnswerTurn,
): Promise<Outcome> {
  const { events, signal } = turn
  events.stage(TurnStage.CONTEXTUALIZING)
  const smallTalk = readSmallTalk(text, detected)
  // It asks nothing, so it is not refused.
  if (smallTalk !== null) return own(await replyToSmallTalk(smallTalk, project, deps.store))
  /** The question's language: the pages' if its stop words are. `Does jsoup execute JavaScript?` is detected as Dutch. */
  const askedAs = (pages: string | null) =>
    languages.find((each) => each === pages && asked !== null && isRatherIn(text, each, asked)) ?? asked
  /** Whether question and pages are in different languages. */
  const isForeign = (pages: string | null) => asked !== null && pages !== null && pages !== askedAs(pages)
  const found = await searchInRounds(
    { wordings: contextualize(text, before, mode, detected), mode },
    { project: project.uuid, pageUrl, docVersion, language: pageLanguage, sourceTypes: null },
    {
      review: deps.review,
      // No page has its words, which is no evidence in this case.
      async passages(request) {
        const found = await deps.passages(request)
        const isUnderstood = isForeign(found.language) && knowsAllLanguages(found.model)
        return isUnderstood ? { ...found, words: [], unknownWords: [] } : found
      },
    },
    (searchRound) => {
      signal.throwIfAborted()
      events.stage(TurnStage.SEARCHING_DOCS, { searchRound })
    },
  )
  signal.throwIfAborted()
  events.stage(TurnStage.REVIEWING_RESULTS)
  const { review, queries } = found
  const language = askedAs(found.language) ?? detected
  const { passages, probability } = review
  // A language model can judge from little whether it is the answer. A quotation would present it as the answer.
  const isAnswered = review.verdict === 'answerable' || (review.verdict === 'pointed' && deps.model !== null)
  // Typos of the previous question were reported with its answer.
  const corrected = found.corrections.flatMap(({ typed, term }) => (text.includes(typed) ? [term] : []))
  const words = corrected.map(toInline).join(', ')
  const searchedFor = words && `${replies[language].searchedFor.replace('{words}', () => words)}\n\n`
  const point = (verdict: 'refused' | 'pointed', from: Passage[], preface = searchedFor) => {
    const nearest = toSectionLinks(toModelPassages(from), 3)
    const traced = from.slice(0, nearest.length).map((passage) => toTraced(passage, false))
    const content = preface + toReply(verdict, nearest, language)
    return own(content, { queries, verdict, probability, passages: traced })
  }
  if (!isAnswered || passages.length === 0) {
    events.found({ documentCount: 0, searchedFor: corrected })
    if (isForeign(found.language) && !knowsAllLanguages(found.model))
      return own(toForeignReply(found.language!, language), { queries, verdict: 'refused', probability })
    if (review.verdict !== 'refused') return point('pointed', found.passages)
    const former = new Set(before.at(-1)?.sources.map(({ url }) => url))
    return point(
      'refused',
      probability < minNamed ? [] : found.passages.filter(({ url }) => !former.has(url)),
    )
  }
  events.found({ documentCount: passages.length, searchedFor: corrected })
  const composition = {
    ...{ project, before, text, query: found.q, language, reason: mode === 'think' },
    ...{ passages: toModelPassages(passages), queries, probability },
  }
  const { model } = deps
  if (model === null) return quoteAnswer(composition, searchedFor, deps, turn)
  const written = await composeAnswer(composition, { ...deps, model }, turn)
  if (!written.isUnreached) return written
  const modelError = written.trace.modelError!
  const { modelAway, quotedInstead } = replies[language]
  const away = searchedFor + modelAway
  const withError = (outcome: Outcome) => ({ ...outcome, trace: { ...outcome.trace, modelError } })
  if (review.verdict !== 'answerable') return withError(point('pointed', found.passages, `${away}\n\n`))
  return withError(await quoteAnswer(composition, `${away} ${quotedInstead}\n\n`, deps, turn))
}

const noTrace = { queries: [], verdict: null, probability: null, passages: [], dropped: [] }

/** An answer without a model, after `done` milliseconds. */
function toOutcome(content: string, done: number, trace: Partial<Trace>, stopReason: ChatStop): Outcome {
  const timings = { retrieved: done, firstToken: null, done }
  return {
    answer: { content, sources: [], stopReason, incomplete: stopReason !== 'stop', ...noContinuation },
    retryable: true,
    trace: { ...noTrace, model: 'none', promptVersion: 'none', timings, ...trace },
  }
}
