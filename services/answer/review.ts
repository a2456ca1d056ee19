// Whether a question can be answered from what was found, and from which passages. How likely it is is told by what any
// manual has: how near a passage is in meaning, where there is a model, how much of the question's words the same passage
// holds, and how many of them no page holds.
import { toWords } from '../index/words.ts'
import type { Passage, Passages } from '../search/passage.ts'
import { continuation } from '../search/passage-text.ts'
import { stopWordsOf } from '../search/stop-words.ts'
import type { ChatSource } from '../store/chat.ts'
import { languageOf } from './language.ts'
import { titleOf, toSource } from './titles.ts'

export interface Review {
  /** `pointed`: too little for an answer, but sections worth naming. */
  verdict: 'answerable' | 'pointed' | 'refused'
  /** That the passages answer the question, 0 to 1. */
  probability: number
  /** What an answer is made from: at most 8, best first, within the budget of text. */
  passages: Passage[]
}

/** From which probability on a question is answered, and below which it is refused. */
export const thresholds = { answered: 0.575, refused: 0.57 }

const maxPassages = 8
/** Characters of all passages together. */
const maxLength = 14_000
/** Of the best passage's score: one that is worse has nothing to add. */
const minScore = 0.35
const maxNearest = 3

export function review(question: string, found: Passages): Review {
  const probability = found.passages.length === 0 ? 0 : probabilityOf(question, found)
  const passages = choose(found.passages)
  if (probability < thresholds.refused) return { verdict: 'refused', probability, passages }
  const isEnough = probability >= thresholds.answered && passages.length > 0
  return { verdict: isEnough ? 'answerable' : 'pointed', probability, passages }
}

/** A heading without a text says nothing. */
function choose(passages: Passage[]): Passage[] {
  const chosen: Passage[] = []
  let length = 0
  for (const passage of passages.filter(({ text }) => text.replace(continuation, '').trim() !== '')) {
    length += passage.text.length
    if (passage.score < minScore * passages[0]!.score || (length > maxLength && chosen.length > 0)) break
    chosen.push(passage)
  }
  return chosen.slice(0, maxPassages)
}

/** Sections to be named, each once. */
export function nearestOf(passages: Passage[], max = maxNearest): ChatSource[] {
  const sources = passages.map((passage) => toSource({ title: titleOf(passage), url: passage.url }))
  return [...new Map(sources.map((source) => [source.url, source])).values()].slice(0, max)
}

/** What speaks for the passages found. */
export interface Evidence {
  /** Logarithm of the cosine of the question and the passage nearest to it, .05 at least; 0 without a model. */
  nearness: number
  /** Share of the question's words, weighted by idf, that this passage holds; without a model, the one that holds most. */
  coverage: number
  /** Share of the question's words, without stop words, that no page holds; less in a small project, which lacks many. */
  unknown: number
}

type Weights = { bias: number } & Evidence

/**
 * Of a logistic regression, which `npm run bench -- fit-evidence` fits on the open manuals; without a model the bias is .5 to .6
 * more, since questions of small projects are refused sooner than others.
 */
const byWords: Weights = { bias: -0.1, nearness: 0, coverage: 3.6, unknown: -11.4 }
/** The stems of the index are English: in other languages a page may hold a word in a form that does not count. */
const byOtherWords: Weights = { bias: 2.6, nearness: 0, coverage: 1.4, unknown: -12 }
/** By the model's name: cosines of one model all lie between .7 and .9, those of another between .1 and .6. */
const withModel: Record<string, Weights> = {
  'local:all-minilm-l6-v2': { bias: 1.8, nearness: 2.2, coverage: 3.6, unknown: -10.2 },
}

const minSimilarity = 0.05
/** A project of few units lacks most words of the language; one of many has what it is about, and an unknown word counts in full. */
const fewUnits = 30
const manyUnits = 10_000

/** Probability that the passages answer the question, 0 to 1. Cosines of a model that is not known say nothing. */
function probabilityOf(question: string, found: Passages): number {
  const { nearness, coverage, unknown } = evidenceOf(question, found)
  const isEnglish = languageOf(question) === 'en'
  const weights = withModel[found.model ?? ''] ?? (isEnglish ? byWords : byOtherWords)
  const sum =
    weights.bias + weights.nearness * nearness + weights.coverage * coverage + weights.unknown * unknown
  return 1 / (1 + Math.exp(-sum))
}

/** `frob a widget` of 30 units that know no `frob`: 1/2 of the words, of which log 2 / log 334 = .12 counts. */
export function evidenceOf(question: string, found: Passages): Evidence {
  const { passages, unknownWords, units } = found
  const isKnown = (found.model ?? '') in withModel
  const similarityOf = (passage: Passage) => (isKnown ? (passage.similarity ?? 0) : 0)
  const [nearest] = passages.toSorted((a, b) => similarityOf(b) - similarityOf(a) || b.coverage - a.coverage)
  const unknown = Math.min(1, unknownWords.length / Math.max(1, countOwnWords(question)))
  return {
    nearness: isKnown && nearest ? Math.log(Math.max(minSimilarity, similarityOf(nearest))) : 0,
    coverage: nearest?.coverage ?? 0,
    unknown: unknown * Math.min(1, Math.log1p(units / fewUnits) / Math.log1p(manyUnits / fewUnits)),
  }
}

/** Stop words left out. */
export function countOwnWords(question: string): number {
  const stopWords = stopWordsOf(question)
  return toWords(question).filter(({ text }) => !stopWords.has(text.toLowerCase())).length
}
