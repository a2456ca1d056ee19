// From passages to a checked answer: prompt, model, citations (decisions.md "Chat"). Shared by new answers and by those
// that are gone on with.
import { TurnStage } from '../../gen/lectern/v1/turn_pb.js'
import { type Model, ModelError, type ModelPassage } from '../model/model.ts'
import { createIsOurs } from '../sanitize/safe-address.ts'
import { cleanText, createSafeText } from '../sanitize/safe-text.ts'
import type { Passage } from '../search/passage.ts'
import type { ChatMessage, ChatStop } from '../store/chat.ts'
import type { Project } from '../store/project.ts'
import type { Store } from '../store/store.ts'
import type { CheckedAnswer } from './check-answer.ts'
import type { AnswerEvents, Outcome } from './outcome.ts'
import { type OwnLanguage, ownWords } from './own-words.ts'
import { shortTitle, toTitleLink } from './passage-title.ts'
import { toMessages, toPrompt } from './prompt.ts'
import { writeAnswer } from './write-answer.ts'

export interface ComposeDeps {
  store: Pick<Store, 'sources'>
  model: Model
  /** See check-answer.ts. */
  checkAnswer(draft: string, passages: ModelPassage[], signal: AbortSignal): Promise<CheckedAnswer>
  /** How a turn ends that was told to stop. */
  stopOf(signal: AbortSignal): ChatStop
  /** Milliseconds since 1970. */
  clock(): number
  /** Told of what a reader is not told. */
  report(error: unknown): void
}

export interface Composition {
  project: Project
  /** The conversation before the question, oldest first. */
  before: ChatMessage[]
  /** As the reader put it, and as it was searched for. */
  question: string
  query: string
  language: OwnLanguage
  /** With the labels that the model is given. */
  passages: { label: number; passage: Passage; shown: ModelPassage }[]
  /** What there is of the answer, where it is gone on with. */
  draft: string
  reason: boolean
  queries: string[]
  /** That the passages answer the question. */
  probability: number | null
}

/** Ends at which the stage of writing is completed rather than failed. */
const complete: ReadonlySet<ChatStop> = new Set(['stop', 'length', 'content_filter'])

/** Throws only where the store does: whatever the model does is an outcome. */
export async function composeAnswer(
  composition: Composition,
  deps: ComposeDeps,
  events: AnswerEvents,
  signal: AbortSignal,
): Promise<Outcome> {
  const { project, draft, question, query, reason } = composition
  const retrievedAt = deps.clock()
  events.stage(TurnStage.PREPARING_DOCS)
  events.found({ documentCount: composition.passages.length })
  const passages = composition.passages.map(({ shown }) => shown)
  const prompt = toPrompt(project, passages)
  const messages = toMessages(composition.before, question)
  if (draft !== '') messages.push({ role: 'assistant', content: draft })
  const sources = await deps.store.sources.all(project.uuid)
  const isOurs = createIsOurs([
    ...passages.map(({ url }) => url),
    ...sources.flatMap((source) => [source.url, source.resolvedUrl ?? '']),
  ])
  const safe = createSafeText(isOurs)
  // What has been said before sets the stage: a block of code may be open. What is held back of it comes again.
  const said = draft === '' ? '' : safe.push(draft)
  let repeated = draft.length - said.length

  events.stage(TurnStage.WRITING_ANSWER)
  let firstTokenAt: number | null = null
  const written = await writeAnswer(
    { instructions: prompt.instructions, messages, question: query, passages, reason },
    {
      model: deps.model,
      safe,
      signal,
      onText(text) {
        firstTokenAt ??= deps.clock()
        events.token(text.slice(repeated))
        repeated = Math.max(0, repeated - text.length)
      },
    },
  )
  if (written.fault !== null && !signal.aborted) deps.report(written.fault)

  const whole = said + written.text
  // A language model that verifies takes its time: the reader is told before.
  const isWritten = whole.trim() !== '' && complete.has(written.stop) && !signal.aborted
  if (isWritten) events.stage(TurnStage.CHECKING_SOURCES)
  const checked = deps.model.isVerbatim
    ? toQuoted(whole, written.quoted, passages, composition.language)
    : await deps.checkAnswer(whole, passages, signal)
  // What stood on both sides of a citation that is gone must not make a link.
  const text = cleanText(checked.text, isOurs).trimEnd()
  const ended = written.stop === 'stop' && text === '' ? 'error' : written.stop
  const stop = signal.aborted ? deps.stopOf(signal) : ended
  const cited = new Set(checked.cited)
  // What goes on may begin in the middle of a word: the white space before it counts.
  const gap = stop === 'stop' ? '' : /\s*$/u.exec(whole)![0]
  return {
    content: text === '' ? sentenceFor(stop, written.fault, composition.language) : text + gap,
    sources: checked.sources,
    stop,
    continuations: written.continuations,
    continuationAvailable: stop === 'length' && written.canGoOn,
    retryable: !(written.fault instanceof ModelError) || written.fault.retryable,
    retrievedAt,
    firstTokenAt,
    trace: {
      queries: composition.queries,
      model: deps.model.name,
      promptVersion: prompt.version,
      // What cites nothing may say that the documentation does not tell.
      verdict: text === '' || !complete.has(stop) ? null : cited.size > 0 ? 'answered' : 'pointed',
      probability: composition.probability,
      passages: composition.passages.map(({ label, passage }) => ({
        unit: passage.unit,
        contentHash: passage.contentHash,
        url: passage.url,
        score: passage.score,
        cited: cited.has(label),
      })),
      dropped: [...written.dropped, ...checked.dropped],
    },
  }
}

const maxSeeAlso = 4

/** Quotations need no check. What else was found stands below them as links, which are no sources. */
function toQuoted(
  text: string,
  quoted: number[],
  passages: ModelPassage[],
  language: OwnLanguage,
): CheckedAnswer {
  const sources = quoted.map((label) => toSource(passages.find((passage) => passage.label === label)!))
  const known = new Set(sources.map(({ url }) => url))
  const others = passages.filter(({ url }) => !known.has(url) && known.add(url)).slice(0, maxSeeAlso)
  const links = others.map((passage) => `- ${toTitleLink(toSource(passage))}`)
  const seeAlso = links.length === 0 ? [] : [ownWords[language].seeAlso, links.join('\n')]
  return { text: [text, ...seeAlso].join('\n\n'), sources, cited: quoted, dropped: [] }
}

function toSource({ title, url }: ModelPassage) {
  return { title: shortTitle(title), url }
}

function sentenceFor(stop: ChatStop, fault: unknown, language: OwnLanguage): string {
  const { failed, declined, filtered } = ownWords[language]
  if (stop === 'disconnected') return ''
  if (stop === 'content_filter') return filtered
  return fault instanceof ModelError && !fault.retryable ? declined : failed
}
