// Whether a question can be answered from what was found, and from which passages. How likely it is is told by what any
// manual has: how good the best passage is in meaning, where there is a model, and in words; how many of the question's
// words no page holds; and how much the question is about a word that the best passages lack.
import { toWords } from '../index/words.ts'
import { continuation, type Passage, type Passages } from '../search/passage.ts'
import type { Similarities } from '../search/similarities.ts'
import { stopWordsOf } from '../stop-words.ts'
import type { ChatSource } from '../store/chat.ts'
import type { Language } from './replies.ts'
import { titleOf, toSource } from './titles.ts'

export interface Review {
  /** `pointed`: too little for an answer, but sections worth naming. */
  verdict: 'answerable' | 'pointed' | 'refused'
  /** That the passages answer the question, 0 to 1. */
  probability: number
  /** What an answer is made from: at most 8, best first, within the budget of text. */
  passages: Passage[]
}

/** From which probability on a question is answered, and below which it is refused. Chosen by hand, with all manuals in view. */
export const thresholds = { answered: 0.5, refused: 0.47 }

const maxPassages = 8
/** Characters of all passages together. */
const maxLength = 14_000
/** Of the best passage's score: one that is worse has nothing to add. */
const minScore = 0.35
const maxNearest = 3

/** `language`: of the question. */
export type ReviewPassages = (question: string, language: Language, found: Passages) => Promise<Review>

/** Where `similarities` answers null, words alone are judged. */
export function createReview(similarities: Similarities): ReviewPassages {
  return async (question, language, found) => {
    const isEmpty = found.passages.length === 0
    const probability = isEmpty
      ? 0
      : toProbability(language, await readEvidence(question, found, similarities))
    const passages = choose(found.passages)
    if (probability < thresholds.refused) return { verdict: 'refused', probability, passages }
    const isEnough = probability >= thresholds.answered && passages.length > 0
    return { verdict: isEnough ? 'answerable' : 'pointed', probability, passages }
  }
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
  /** Of the best passage: its cosine with the question, 0 without a model, and .3 times its coverage. */
  best: number
  /** Share of the question's words, without stop words, that no page holds; less in a small project, which lacks many. */
  unknown: number
  /** Words of the question without stop words, 4 to 8: the longer it is, the less of it one passage holds. */
  length: number
  /** With a model: cosine of the question and the word it is most about, of those that none of the first four passages holds. */
  lacking: number
}

type Weights = { bias: number } & Evidence

/**
 * Of a logistic regression, as `npm run bench -- fit-evidence` prints them; by words the bias is .9 more, since questions
 * of small projects are refused sooner than others. That .9 was chosen by hand.
 */
const byWords: Weights = { bias: -5.18, best: 22.3, unknown: -10.3, length: 0.72, lacking: 0 }
/** The stems of the index are English: in other languages a page may hold a word in a form that does not count. */
const byOtherWords: Weights = { bias: -7.41, best: 38, unknown: -6.3, length: 1.01, lacking: 0 }
/** By the model's name: cosines of one model all lie between .7 and .9, those of another between .1 and .6. */
const withModel: Record<string, Weights> = {
  'local:all-minilm-l6-v2': { bias: -2.62, best: 6.13, unknown: -9.79, length: 0.44, lacking: -5.24 },
}

// The constants from here to `manyUnits` were chosen by hand.

/** Passages of which none is to hold what is lacking. */
const maxHolding = 4
const coverageWeight = 0.3
const lengths = { min: 4, max: 8 }
/** A project of few units lacks most words of the language; one of many has what it is about, and an unknown word counts in full. */
const fewUnits = 30
const manyUnits = 10_000

/** Probability that the passages answer the question, 0 to 1. */
function toProbability(language: Language, { model, ...evidence }: ReadEvidence): number {
  const byLanguage = language === 'en' ? byWords : byOtherWords
  const { bias, ...weights } = model === null ? byLanguage : withModel[model]!
  const signs = Object.entries(weights) as [keyof Evidence, number][]
  return 1 / (1 + Math.exp(-signs.reduce((sum, [sign, weight]) => sum + weight * evidence[sign], bias)))
}

/** `model`: null where none was asked. Cosines of one that is not known say nothing. */
type ReadEvidence = Evidence & { model: string | null }

/**
 * `frob a widget` of 30 units that know no `frob`: 1/2 of the words, of which log 2 / log 334 = .12 counts. Lacking is how
 * near `frob` is to the question, and `widget`, where none of the best passages holds that either, if that is nearer.
 */
export async function readEvidence(
  question: string,
  { passages, words, unknownWords, units, model }: Passages,
  similarities: Similarities,
): Promise<ReadEvidence> {
  const isKnown = model !== null && model in withModel
  const [nearness] = (isKnown && (await similarities([{ text: question, others: words }]))) || []
  const worthOf = ({ similarity, coverage }: Passage) =>
    (nearness ? (similarity ?? 0) : 0) + coverageWeight * coverage
  const best = passages.slice(0, maxHolding)
  const lacking = words.map((word, at) =>
    best.every(({ lacks }) => lacks.includes(word)) ? (nearness?.[at] ?? 0) : 0,
  )
  const length = countOwnWords(question)
  const share = Math.min(1, unknownWords.length / Math.max(1, length))
  return {
    model: nearness ? model : null,
    best: Math.max(0, ...passages.map(worthOf)),
    unknown: share * Math.min(1, Math.log1p(units / fewUnits) / Math.log1p(manyUnits / fewUnits)),
    length: Math.min(lengths.max, Math.max(lengths.min, length)),
    lacking: Math.max(0, ...lacking),
  }
}

/** Stop words left out. */
export function countOwnWords(question: string): number {
  const stopWords = stopWordsOf(question)
  return toWords(question).filter(({ text }) => !stopWords.has(text.toLowerCase())).length
}
