// Whether a question can be answered from what was found (decisions.md "Chat"): a refusal costs no model call.
import { analyze } from '../index/analyze.ts'
import { fold } from '../index/fold.ts'
import { stem } from '../index/stem.ts'
import { toWords } from '../index/words.ts'
import { isEveryday } from '../search/everyday-words.ts'
import type { Passage, Passages } from '../search/passage.ts'
import { synonymsOf } from '../search/synonyms.ts'
import { tellingWords } from '../search/telling-words.ts'
import type { ChatSource } from '../store/chat.ts'
import { shortTitle, titleOf } from './passage-title.ts'
import { softwareIn } from './software-names.ts'

export type Review =
  /** At most 8, best first, within the budget of text. */
  | { verdict: 'answerable'; passages: Passage[] }
  /** `reason` is for the trace. `nearest`: at most 3 sections, best first. */
  | { verdict: 'refused'; reason: string; nearest: ChatSource[] }

const mostPassages = 8
/** Characters of all passages together. */
const budget = 14_000
/** A passage this much worse than the best has nothing to add. */
const worthwhile = 0.35
/** What the best passage must reach: its rank score, and, where a word is unknown everywhere, score and coverage. */
const leastScore = 0.25
const leastCoverage = 0.12
/** What the nearest passage gets for being the nearest, which says nothing: it always is one (rank-question.ts). */
const ofNearest = 0.175
const surely = { score: 0.5, coverage: 0.75 }
/** A question of few words loses its sense with each that is missing: one of the best passages must hold most of them. */
const fewWords = 3
const ofFewWords = { score: 0.45, coverage: 0.7 }
/** So many of the best passages are asked whether the question's subject is theirs. */
const asked = 5
/** Share of what was found that holds a word of the manual's own subject. */
const common = 0.6
const fewMentions = 2
/** Mentions from which on a passage that holds half of the question is about a thing that its headings do not name. */
const manyMentions = 3
const half = 0.5

export function review(question: string, found: Passages): Review {
  const { passages } = found
  const reason = reasonToRefuse(question, found)
  return reason === null
    ? { verdict: 'answerable', passages: choose(withSubjectFirst(question, passages)) }
    : { verdict: 'refused', reason, nearest: nearestOf(passages) }
}

function reasonToRefuse(question: string, { passages, unknownWords }: Passages): string | null {
  const [best] = passages
  if (best === undefined) return 'nothing was found'
  const top = passages.slice(0, asked)
  const words = tellingWords(question)
  const foreign = softwareIn(question).find((name) => !top.some((passage) => isAbout(passage, name)))
  if (foreign === undefined && top.some((passage) => states(passage, words))) return null
  // A slip of the pen is unknown too: what was meant is then found all the same.
  const isSure = top.some(({ score, coverage }) => score >= surely.score && coverage >= surely.coverage)
  if (unknownWords.length > 0 && !isSure) return `no page holds ${unknownWords.join(', ')}`
  if (foreign !== undefined) return `no page is about ${foreign}`
  // Names of software and slips of the pen have been judged by now.
  const isJudged = unknownWords.length > 0 || softwareIn(question).length > 0
  const subject = isJudged ? null : onlySubject(words, passages)
  if (subject !== null && !top.some((passage) => isNamed(passage, subject)))
    return `no page is about ${subject}`
  const hasVectors = passages.some(({ similarity }) => similarity !== null)
  const withoutNearness = (score: number) => (hasVectors ? score - ofNearest : score)
  const isFar =
    withoutNearness(best.score) < leastScore ||
    (hasVectors && Math.max(...top.map(({ coverage }) => coverage)) < leastCoverage)
  const isOnPoint = top.some(
    ({ score, coverage }) => withoutNearness(score) >= ofFewWords.score || coverage >= ofFewWords.coverage,
  )
  if (isFar || (!isOnPoint && words.length <= fewWords)) {
    return 'what was found has too little in common with the question'
  }
  return null
}

/**
 * Whether the passage holds all of the question that says what it is about, in its words or in those of a manual. Of two
 * words the second may stand there by the way.
 */
function states(passage: Passage, words: string[]): boolean {
  const subjects = words.filter((word) => !isEveryday(word))
  if (words.length < 3 || subjects.length === 0) return false
  const text = toText(passage)
  return subjects.every((word) =>
    [word, ...synonymsOf(stem(word))].some((each) => mentionsIn(text, each) > 0),
  )
}

/**
 * The one word that a question asks about besides what all of the manual is about: of `What does Lectern cost?` `cost`.
 * Null where there are others, and where any question may hold it.
 */
function onlySubject(words: string[], passages: Passage[]): string | null {
  if (words.length < 2 || words.length > fewWords) return null
  const best = passages.slice(0, mostPassages)
  const isCommon = (word: string) =>
    best.filter((passage) => mentionsIn(toText(passage), word) > 0).length >= common * best.length
  const rare = words.filter((word) => !isCommon(word))
  return rare.length === 1 && !isEveryday(rare[0]!) ? rare[0]! : null
}

/** In its headings, or more than by the way. An identifier is never mentioned by the way. */
function isNamed(passage: Passage, word: string): boolean {
  const enough = /[_.:/\d]/u.test(word) ? 1 : fewMentions
  return mentionsIn(headingsOf(passage), word) > 0 || mentionsIn(passage.text, word) >= enough
}

function headingsOf({ title, pageTitle, path }: Passage): string {
  return [title, pageTitle, ...path].join('\n')
}

function toText(passage: Passage): string {
  return `${headingsOf(passage)}\n${passage.text}`
}

/** Words of the text that begin like the word's stem. */
function mentionsIn(text: string, word: string): number {
  const root = stem(word)
  return toWords(fold(text)).filter((each) => each.text.startsWith(root)).length
}

function isAbout({ title, pageTitle, path, text, coverage }: Passage, name: string): boolean {
  const mentions = (words: string) => analyze(words).filter((term) => term === name).length
  const inText = mentions(text)
  if (mentions([title, pageTitle, ...path].join('\n')) > 0) return true
  if (inText >= manyMentions && coverage >= half) return true
  // `For nginx:`, or nearly all else that the question asks.
  const isLed = () => text.split(/[.!?\n]/u).some((lead) => lead.endsWith(':') && mentions(lead) > 0)
  return inText > 0 && (isLed() || coverage >= surely.coverage)
}

/** Passages about the software that is named lead. */
function withSubjectFirst(question: string, passages: Passage[]): Passage[] {
  const names = softwareIn(question)
  const isOfIt = (passage: Passage) => names.some((name) => isAbout(passage, name))
  return names.length === 0
    ? passages
    : [...passages.filter(isOfIt), ...passages.filter((each) => !isOfIt(each))]
}

function choose(passages: Passage[]): Passage[] {
  const chosen: Passage[] = []
  let length = 0
  for (const passage of passages.slice(0, mostPassages)) {
    length += passage.text.length
    if (passage.score < worthwhile * passages[0]!.score || (length > budget && chosen.length > 0)) break
    chosen.push(passage)
  }
  return chosen
}

function nearestOf(passages: Passage[]): ChatSource[] {
  const sources = new Map(
    passages.map((passage) => [passage.url, { title: shortTitle(titleOf(passage)), url: passage.url }]),
  )
  return [...sources.values()].slice(0, 3)
}
