// How likely it is that what was found answers a question, by what any manual has: how near a passage is in meaning, where
// there is a model, how much of the question's words the same passage holds, and how many of them no page holds.
import { toWords } from '../index/words.ts'
import type { Passages } from '../search/passage.ts'
import { stopWordsOf } from '../search/stop-words.ts'

/** What speaks for the passages found. */
export interface Evidence {
  /** Cosine of the question and the passage that is nearest to it; 0 without a model. */
  similarity: number
  /**
   * Share of the question's words, rare ones weighing more, that the same passage holds: what shares words with a question
   * by accident is seldom what is nearest in meaning. Without a model, of the passage that holds the most.
   */
  coverage: number
  /** Share of the question's words, stop words left out, that no page holds; less in a small project, which lacks many. */
  unknown: number
}

/** Units from which on a project is large enough for an unknown word to count in full. */
const manyUnits = 10_000

/** `frob a widget` of 10 units that know no `frob`: 1/2 of the words, of which log 11 / log 10,001 = .26 counts. */
export function evidenceOf(question: string, { passages, unknownWords, units }: Passages): Evidence {
  const [nearest] = passages.toSorted(
    (a, b) => (b.similarity ?? 0) - (a.similarity ?? 0) || b.coverage - a.coverage,
  )
  const stopWords = stopWordsOf(question)
  const words = toWords(question).filter(({ text }) => !stopWords.has(text.toLowerCase())).length
  return {
    similarity: nearest?.similarity ?? 0,
    coverage: nearest?.coverage ?? 0,
    unknown:
      Math.min(1, unknownWords.length / Math.max(1, words)) *
      Math.min(1, Math.log1p(units) / Math.log1p(manyUnits)),
  }
}

type Weights = { bias: number } & Evidence

/** Of a logistic regression; `npm run bench -- fit-evidence` fits them, on the open manuals. */
const byWords: Weights = { bias: -0.2, similarity: 0, coverage: 3.3, unknown: -11.3 }
/** By the model's name: cosines of one model all lie between .7 and .9, those of another between .1 and .6. */
const withModel: Record<string, Weights> = {
  'local:all-minilm-l6-v2': { bias: -2.8, similarity: 7, coverage: 3.4, unknown: -11 },
}

/** From which probability on a question is answered, and below which it is refused. */
export const thresholds = { answered: 0.6, refused: 0.55 }

/** Probability that the passages answer the question, 0 to 1. Cosines of a model that is not known say nothing. */
export function probabilityOf(question: string, found: Passages): number {
  const { similarity, coverage, unknown } = evidenceOf(question, found)
  const weights = withModel[found.model ?? ''] ?? byWords
  const sum =
    weights.bias + weights.similarity * similarity + weights.coverage * coverage + weights.unknown * unknown
  return 1 / (1 + Math.exp(-sum))
}
