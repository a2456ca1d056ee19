// How likely it is that what was found answers a question, by what any manual has: nearness of meaning where there is a
// model, and how much of the question's words, rare ones weighing more, the best passages hold.
import type { Passages } from '../search/passage.ts'

/** What speaks for the passages found: what the rule below is fitted to. */
export interface Evidence {
  /** Cosine of the question and the nearest of the best passages; null without a model. */
  similarity: number | null
  /** Share of the question's words, rare ones weighing more, that the best passage holds. */
  coverage: number
  /** Of the question's words, those that no page holds: their number, at most 3. */
  unknown: number
}

/** Passages that are looked at. */
const best = 5
const maxUnknown = 3

export function evidenceOf({ passages, unknownWords }: Passages): Evidence {
  const top = passages.slice(0, best)
  const similarities = top.flatMap(({ similarity }) => similarity ?? [])
  return {
    similarity: similarities.length === 0 ? null : Math.max(...similarities),
    coverage: Math.max(0, ...top.map(({ coverage }) => coverage)),
    unknown: Math.min(maxUnknown, unknownWords.length),
  }
}

/** Weights of a logistic regression, one set with a model and one without: `npm run bench -- fit-evidence` fits them. */
const withModel = { bias: -4.5, similarity: 7, coverage: 2, unknown: -0.9 }
const byWords = { bias: -0.6, similarity: 0, coverage: 3.1, unknown: -1.1 }

/** From which probability on a question is answered, and below which it is refused. */
export const thresholds = { answered: 0.5, refused: 0.4 }

/** Probability that the passages answer the question, 0 to 1. */
export function probabilityOf(evidence: Evidence): number {
  const weights = evidence.similarity === null ? byWords : withModel
  const sum =
    weights.bias +
    weights.similarity * (evidence.similarity ?? 0) +
    weights.coverage * evidence.coverage +
    weights.unknown * evidence.unknown
  return 1 / (1 + Math.exp(-sum))
}
