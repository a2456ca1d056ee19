// How likely it is that what was found answers a question, by what any manual has: how near a passage is in meaning, where
// there is a model, how much of the question's words the same passage holds, and how many of them no page holds.
import { toWords } from '../index/words.ts'
import type { Passage, Passages } from '../search/passage.ts'
import { stopWordsOf } from '../search/stop-words.ts'
import { languageOfQuestion } from './question-language.ts'

/** What speaks for the passages found. */
export interface Evidence {
  /**
   * Logarithm of the cosine of the question and the passage that is nearest to it, which is taken for .05 at least: what is
   * not near at all cannot be made up for by words. 0 without a model.
   */
  nearness: number
  /**
   * Share of the question's words, rare ones weighing more, that the same passage holds: what shares words with a question
   * by accident is seldom what is nearest in meaning. Without a model, of the passage that holds the most.
   */
  coverage: number
  /** Share of the question's words, stop words left out, that no page holds; less in a small project, which lacks many. */
  unknown: number
}

const minSimilarity = 0.05
/** A project of few units lacks most words of the language; one of many has what it is about, and an unknown word counts in full. */
const fewUnits = 30
const manyUnits = 10_000

/** `frob a widget` of 30 units that know no `frob`: 1/2 of the words, of which log 2 / log 334 = .12 counts. */
export function evidenceOf(question: string, found: Passages): Evidence {
  const { passages, unknownWords, units } = found
  const isKnown = (found.model ?? '') in withModel
  const similarityOf = (passage: Passage) => (isKnown ? (passage.similarity ?? 0) : 0)
  const [nearest] = passages.toSorted((a, b) => similarityOf(b) - similarityOf(a) || b.coverage - a.coverage)
  const stopWords = stopWordsOf(question)
  const words = toWords(question).filter(({ text }) => !stopWords.has(text.toLowerCase())).length
  const unknown = Math.min(1, unknownWords.length / Math.max(1, words))
  return {
    nearness: isKnown && nearest ? Math.log(Math.max(minSimilarity, similarityOf(nearest))) : 0,
    coverage: nearest?.coverage ?? 0,
    unknown: unknown * Math.min(1, Math.log1p(units / fewUnits) / Math.log1p(manyUnits / fewUnits)),
  }
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

/** From which probability on a question is answered, and below which it is refused. */
export const thresholds = { answered: 0.575, refused: 0.57 }

/** Probability that the passages answer the question, 0 to 1. Cosines of a model that is not known say nothing. */
export function probabilityOf(question: string, found: Passages): number {
  const { nearness, coverage, unknown } = evidenceOf(question, found)
  const isEnglish = languageOfQuestion(question) === 'en'
  const weights = withModel[found.model ?? ''] ?? (isEnglish ? byWords : byOtherWords)
  const sum =
    weights.bias + weights.nearness * nearness + weights.coverage * coverage + weights.unknown * unknown
  return 1 / (1 + Math.exp(-sum))
}
