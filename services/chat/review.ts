// Whether a question can be answered from what was found (decisions.md "Chat"): a refusal costs no model call.
import { analyze } from '../index/analyze.ts'
import { toWords } from '../index/words.ts'
import type { Passage, Passages } from '../search/passage.ts'
import { stopWords } from '../search/stop-words.ts'
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
const leastScore = 0.12
const leastCoverage = 0.25
const surely = { score: 0.5, coverage: 0.75 }
/** A question of few words loses its sense with each that is missing: one of the best passages must hold most of them. */
const fewWords = 3
const ofFewWords = { score: 0.3, coverage: 0.65 }
/** So many of the best passages are asked whether the question's subject is theirs. */
const asked = 5
/** Mentions from which on a passage is about a thing that its headings do not name. */
const manyMentions = 3

export function review(question: string, { passages, unknownWords }: Passages): Review {
  const reason = reasonToRefuse(question, passages, unknownWords)
  return reason === null
    ? { verdict: 'answerable', passages: choose(withSubjectFirst(question, passages)) }
    : { verdict: 'refused', reason, nearest: nearestOf(passages) }
}

function reasonToRefuse(question: string, passages: Passage[], unknownWords: string[]): string | null {
  const [best] = passages
  if (best === undefined) return 'nothing was found'
  const top = passages.slice(0, asked)
  // A slip of the pen is unknown too: what was meant is then found all the same.
  const isSure = top.some(({ score, coverage }) => score >= surely.score && coverage >= surely.coverage)
  if (unknownWords.length > 0 && !isSure) return `no page holds ${unknownWords.join(', ')}`
  const foreign = softwareIn(question).find((name) => !top.some((passage) => isAbout(passage, name)))
  if (foreign !== undefined) return `no page is about ${foreign}`
  // With vectors the score says how near a passage is beside the others, which the best always is.
  const isFar =
    best.similarity === null
      ? best.score < leastScore
      : Math.max(...top.map(({ coverage }) => coverage)) < leastCoverage
  const isOnPoint = top.some(
    ({ score, coverage }) => score >= ofFewWords.score || coverage >= ofFewWords.coverage,
  )
  if (isFar || (!isOnPoint && hasFewWords(question))) {
    return 'what was found has too little in common with the question'
  }
  return null
}

function hasFewWords(question: string): boolean {
  const words = toWords(question).filter(({ text }) => !stopWords.has(text.toLowerCase()))
  return words.length <= fewWords
}

function isAbout({ title, pageTitle, path, text, coverage }: Passage, name: string): boolean {
  const mentions = (words: string) => analyze(words).filter((term) => term === name).length
  const inText = mentions(text)
  if (mentions([title, pageTitle, ...path].join('\n')) > 0 || inText >= manyMentions) return true
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
