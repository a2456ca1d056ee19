// From passages to a checked answer: prompt, model, citations. Used for new and for continued answers.
import type { MessageInitShape } from '@bufbuild/protobuf'
import { TurnStage, type TurnStatusDetailSchema } from '../../gen/lectern/v1/turn_pb.js'
import { isWeb } from '../../sources/source-table.ts'
import { type Model, ModelError, type ModelFault, type ModelPassage } from '../model/model.ts'
import { createIsOurs, type Quotes, toQuoteKey } from '../sanitize/safe-inline.ts'
import { cleanText } from '../sanitize/safe-text.ts'
import { type Passage, toInline } from '../search/passage.ts'
import type { ChatMessage, ChatSource, ChatStop, Trace } from '../store/chat.ts'
import type { Project } from '../store/project.ts'
import type { Source } from '../store/source.ts'
import type { Store } from '../store/store.ts'
import { checkAnswer, createCheckedTokens, rememberObjections } from './check-answer.ts'
import type { Judge } from './citation-check.ts'
import { type Quote, readFirstSentence } from './extractive.ts'
import { type Language, replies } from './replies.ts'
import { shorten, toSource, toTitleLink } from './titles.ts'
import { toMessages, toPrompt, writeAnswer } from './write-answer.ts'

export type StageDetail = MessageInitShape<typeof TurnStatusDetailSchema>

/** The turn of an answer. */
export interface AnswerTurn {
  events: AnswerEvents
  /** Aborts when nobody is waiting for the answer. */
  signal: AbortSignal
  /** Milliseconds since 1970. */
  startedAt: number
  /** Whether tokens add up to the answer, with each citation checked before it is sent. Otherwise they are a draft. */
  isAppendOnly: boolean
}

/** The progress of an answer, for its reader. */
export interface AnswerEvents {
  /** Starts a stage, and completes the running one with the detail given before. */
  stage(stage: TurnStage, detail?: StageDetail): void
  /** The detail of the running stage, sent when it completes. */
  found(detail: StageDetail): void
  token(text: string): void
}

export interface Outcome {
  /** `content`: safe, checked Markdown, or a sentence for the reader if there is no answer. */
  answer: Pick<
    ChatMessage,
    'content' | 'sources' | 'incomplete' | 'continuationCount' | 'continuationAvailable'
  > & {
    stopReason: ChatStop
  }
  /** Whether a retry may help, if it failed. */
  retryable: boolean
  trace: Trace
  /** Whether the language model refused or was unavailable, so that there is no text. */
  isUnreached?: boolean
}

export interface ComposeDeps {
  store: Pick<Store, 'sources' | 'pages' | 'addresses'>
  model: Model
  /** Of the answer's citations. */
  judge: Judge
  /** Outcome of a turn that was stopped. */
  stopOf(signal: AbortSignal): ChatStop
  /** Milliseconds since 1970. */
  clock(): number
  /** Receives errors that the reader does not see. */
  report(error: unknown): void
}

interface Composition {
  project: Project
  /** The conversation before the question, oldest first. */
  before: ChatMessage[]
  /** The question as the reader wrote it, and as it was searched for. */
  text: string
  query: string
  language: Language
  passages: (Passage & ModelPassage)[]
  /** The existing part of an answer that is continued, and its sources. */
  draft?: string
  sources?: ChatSource[]
  reason?: boolean
  /** For the trace. */
  queries: string[]
  probability: number | null
}

/** Outcomes for which the writing stage is completed rather than failed. */
const complete: readonly ChatStop[] = ['stop', 'length', 'content_filter']
/** Failures of a model that was never called. */
const unreached: readonly ModelFault[] = ['unavailable', 'refused', 'rate_limited']

/** Throws only if the store does. Every failure of the model is an outcome. */
export async function composeAnswer(
  composition: Composition,
  deps: ComposeDeps,
  { events, signal, startedAt, isAppendOnly }: AnswerTurn,
): Promise<Outcome> {
  const { project, language, passages, draft = '', sources = [], reason = false } = composition
  const { model } = deps
  const elapsed = () => deps.clock() - startedAt
  const retrieved = elapsed()
  events.stage(TurnStage.PREPARING_DOCS)
  events.found({ documentCount: passages.length })
  const { instructions, version } = toPrompt(project, passages, model.citesItself)
  const messages = toMessages(composition.before, composition.text)
  const isOurs = readIsOurs(await deps.store.sources.all(project.uuid), passages)
  const judge = rememberObjections(deps.judge)
  const quotes = readQuotes(draft, sources)
  const check = async (written: string) => {
    const checked = await checkAnswer(written, passages, quotes, judge, signal)
    // The text on both sides of a removed citation must not form a link.
    const isCut = withoutNumbers(checked.text) !== withoutNumbers(written)
    return { ...checked, text: isCut ? cleanText(checked.text, isOurs).trimEnd() : checked.text }
  }
  const tokens =
    isAppendOnly &&
    createCheckedTokens({
      draft,
      check: judge.isCostly ? null : async (written) => (await check(written)).text,
      send: events.token,
    })

  events.stage(TurnStage.WRITING_ANSWER)
  let firstToken: number | null = null
  const onText = (text: string) => {
    firstToken ??= elapsed()
    if (tokens) tokens.push(text)
    else events.token(text)
  }
  const request = { instructions, messages, question: composition.query, passages, reason }
  const written = await writeAnswer(request, draft, { model, isOurs, quotes, signal, onText })
  const fault = written.fault instanceof ModelError ? written.fault : null
  if (written.fault !== null && !signal.aborted) deps.report(written.fault)

  // A language model takes time to verify, so the stage is sent first.
  const isWritten = written.text.trim() !== '' && complete.includes(written.stop) && !signal.aborted
  if (isWritten) events.stage(TurnStage.CHECKING_SOURCES)
  const checked = await check(written.text)
  const text = checked.text.trimEnd()
  const ended = written.stop === 'stop' && text === '' ? 'error' : written.stop
  const stop = signal.aborted ? deps.stopOf(signal) : ended
  // The continuation may start in the middle of a word, so the white space before it matters.
  const gap = stop === 'stop' ? '' : /\s*$/u.exec(written.text)![0]
  const continuationAvailable = stop === 'length' && written.canContinue
  const isOver = complete.includes(stop) && !continuationAvailable
  const note = checked.isUnsupported && isOver ? `\n\n${replies[language].unsupported}` : ''
  const content = text + (note || gap)
  if (text !== '' && tokens) await tokens.end(content)
  return {
    answer: {
      content: text === '' ? toFailure(stop, fault, language) : content,
      sources: checked.sources,
      stopReason: stop,
      incomplete: stop !== 'stop',
      continuationCount: written.continuations,
      continuationAvailable,
    },
    retryable: fault?.retryable ?? true,
    isUnreached: draft === '' && stop === 'error' && fault !== null && unreached.includes(fault.fault),
    trace: {
      queries: composition.queries,
      model: model.name,
      ...(fault && { modelError: `${model.name}: ${fault.fault}` }),
      promptVersion: version,
      // Text without citations may say that the documentation has no answer.
      verdict:
        text === '' || !complete.includes(stop) ? null : checked.cited.length > 0 ? 'answered' : 'pointed',
      probability: composition.probability,
      passages: toTracedQuotes(passages, checked.quotes, checked.cited),
      dropped: [...written.dropped, ...checked.dropped],
      timings: { retrieved, firstToken, done: elapsed() },
    },
  }
}

/** For a draft whose `[n]` is the n-th of its sources. */
function readQuotes(draft: string, sources: ChatSource[]): Quotes {
  const quotes: Quotes = new Map()
  for (const { index, 0: mark, 1: number } of draft.matchAll(/\[(\d+)\]/gu)) {
    const quote = sources[Number(number) - 1]?.quote
    if (quote) quotes.set(toQuoteKey(Number(number), draft.slice(0, index + mark.length)), quote)
  }
  return quotes
}

/** Whether a URL may stay a link: if it is of a page that the answer cites, or of one of the project's sources. */
function readIsOurs(sources: Source[], passages: ModelPassage[]): (url: URL) => boolean {
  const web = sources
    .filter(({ type }) => isWeb(type))
    .flatMap(({ url, resolvedUrl }) => [url, resolvedUrl ?? ''])
  const folders = sources
    .filter(({ type }) => !isWeb(type))
    .flatMap(({ url, options }) => [url.replace(/\.git\/?$/, ''), options.baseUrl ?? ''])
  return createIsOurs([...passages.map(({ url }) => url), ...web], folders)
}

export function toTraced({ unit, contentHash, url, score }: Passage, cited: boolean) {
  return { unit, contentHash, url, score, cited }
}

function toTracedQuotes(passages: Composition['passages'], quotes: Map<number, string>, cited: number[]) {
  return passages.map((passage) => ({
    ...toTraced(passage, cited.includes(passage.label)),
    ...(quotes.has(passage.label) && { quote: quotes.get(passage.label)! }),
  }))
}

function withoutNumbers(text: string): string {
  return text.trimEnd().replace(/\[\d+\]/gu, '[]')
}

export const noContinuation = { continuationCount: 0, continuationAvailable: false }
const maxSeeAlso = 2
/** Characters of a sentence after a link. */
const maxSentence = 80

/** Markdown list items: `max` sections as links with their first sentences, each section once, and none of `known`. */
export function toSectionLinks(passages: ModelPassage[], max: number, known = new Set<string>()): string[] {
  const others = passages.filter(({ url }) => !known.has(url) && known.add(url)).slice(0, max)
  return others.map((passage) => {
    const sentence = toInline(shorten(readFirstSentence(passage), maxSentence))
    return `- ${toTitleLink(toSource(passage))}${sentence && `: ${sentence}`}`
  })
}

/**
 * Quotes the section with most of the question, without a language model, so that no check is needed. Links to other
 * results follow with their first sentences, and are no sources. Throws if the turn is aborted.
 */
export async function quoteAnswer(
  { project, language, passages, query, queries, probability }: Composition,
  preface: string,
  { store, quote, clock }: Pick<ComposeDeps, 'store' | 'clock'> & { quote: Quote },
  { events, signal, startedAt }: AnswerTurn,
): Promise<Outcome> {
  const elapsed = () => clock() - startedAt
  const retrieved = elapsed()
  events.stage(TurnStage.PREPARING_DOCS)
  events.found({ documentCount: passages.length })
  const isOurs = readIsOurs(await store.sources.all(project.uuid), passages)
  events.stage(TurnStage.WRITING_ANSWER)
  const { text, quoted } = await quote(query, passages)
  signal.throwIfAborted()
  const quotes = new Map(quoted.map(({ label, quote }) => [label, quote]))
  const sources = passages
    .filter(({ label }) => quotes.has(label))
    .map((passage) => toSource(passage, quotes.get(passage.label)))
  const links = toSectionLinks(passages, maxSeeAlso, new Set(sources.map(({ url }) => url)))
  const seeAlso = links.length === 0 ? [] : [replies[language].seeAlso, links.join('\n')]
  const content = [cleanText(preface + text, isOurs), ...seeAlso].join('\n\n').trimStart()
  const firstToken = elapsed()
  // Like the answer of a language model: three words at a time.
  for (const piece of content.match(/(?:\S+\s*){1,3}/gu) ?? []) events.token(piece)
  events.stage(TurnStage.CHECKING_SOURCES)
  return {
    answer: { content, sources, stopReason: 'stop', incomplete: false, ...noContinuation },
    retryable: true,
    trace: {
      ...{ queries, probability, model: 'extractive', promptVersion: toPrompt(project, passages).version },
      verdict: quoted.length > 0 ? 'answered' : 'pointed',
      passages: toTracedQuotes(passages, quotes, [...quotes.keys()]),
      dropped: [],
      timings: { retrieved, firstToken, done: elapsed() },
    },
  }
}

function toFailure(stop: ChatStop, fault: ModelError | null, language: Language): string {
  const { failed, declined, filtered } = replies[language]
  if (stop === 'disconnected') return ''
  if (stop === 'content_filter') return filtered
  return fault && !fault.retryable ? declined : failed
}
