// Searches for the passages of a question, wording by wording, and judges whether they answer it. The probability comes from
// evidence that any manual has: how similar the best passage is in meaning and in words, how many words of the question no page
// has, and how much the question is about a word that the best passages lack.

import { readTerms, toWords } from '../index/analyze.ts'
import { isInLanguages } from '../language.ts'
import type { Similarities } from '../search/meaning.ts'
import { continuation, type Passage, type PassageRequest, type Passages } from '../search/passage.ts'
import { findStopWords } from '../stop-words.ts'
import type { RetrievalMode, Wordings } from './follow-up.ts'

export interface Review {
  /** `pointed`: not enough for an answer, but sections worth naming. */
  verdict: 'answerable' | 'pointed' | 'refused'
  /** Probability that the passages answer the question, 0 to 1. */
  probability: number
  /** Passages for the answer: at most 8, best first, within the budget of text. */
  passages: Passage[]
}

/**
 * Minimum probabilities to answer a question, and not to refuse it. Between them, sections are named. `unfitted`: to answer one
 * from pages in a language to which no weights were fitted.
 */
export const thresholds = { answered: 0.5, unfitted: 0.6, refused: 0.25 }
/** Of the manuals of `fit-evidence`. */
const fittedLanguages = ['de', 'en', 'es', 'fr', 'it']

const maxPassages = 8
/** Characters of all passages together. */
const maxLength = 14_000
/** Share of the best passage's score. A worse passage has nothing to add. */
const minScore = 0.35

export type ReviewPassages = (question: string, found: Passages) => Promise<Review>

/** If `similarities` returns null, only words are judged. */
export function createReview(similarities: Similarities): ReviewPassages {
  return async (question, found) => {
    const isEmpty = found.passages.length === 0
    const probability = isEmpty ? 0 : toProbability(await readEvidence(question, found, similarities))
    const passages = choose(found.passages)
    if (probability < thresholds.refused) return { verdict: 'refused', probability, passages }
    const isFitted = isInLanguages(found.language, fittedLanguages)
    const isEnough = probability >= thresholds[isFitted ? 'answered' : 'unfitted'] && passages.length > 0
    return { verdict: isEnough ? 'answerable' : 'pointed', probability, passages }
  }
}

/** A heading without text has no content. */
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

/** Evidence that the passages answer the question. */
export interface Evidence {
  /** Weighted sum for the best passage: cosine with the question, 0 without a model, and coverage. */
  best: number
  /** Share of the question's words, without stop words, that no page has. Lower in a small project, which lacks many. */
  unknown: number
  /** Words of the question without stop words, 4 to 8: the longer it is, the less of it one passage has. */
  length: number
  /** With a model: cosine of the question and the word it is most about, among those that none of the first four passages has. */
  lacking: number
  /** The project's, squared: 0 for few units, 1 for many. The more there are, the more likely one has the words by chance. */
  size: number
}

type Weights = { bias: number } & Partial<Evidence>

/** Fitted by `npm run bench -- fit-evidence`, except a bias that is .4 higher for small projects, which `size` cancels for large ones. */
const byWords: Weights = { bias: -4.99, best: 22.3, unknown: -9.31, length: 0.68, size: -0.4 }
/**
 * By model name: cosines of one model are all between .7 and .9, those of another between .1 and .6. Those of the second
 * were fitted to French, German, Italian and Spanish manuals, with 4-bit weights instead of its 8-bit ones.
 */
const withModel: Record<string, Weights> = {
  'local:all-minilm-l6-v2': { bias: -2.62, best: 6.13, unknown: -9.79, length: 0.44, lacking: -5.24 },
  'local:multilingual-e5-small': { bias: -49.5, best: 52.8, unknown: -7.45, length: 0.83 },
}
/** The name in `withModel`: an endpoint may have the same model. Without a model, an empty name. */
const toKnown = (name: string | null) =>
  /[:/]multilingual-e5-small/iu.test(name ?? '') ? 'local:multilingual-e5-small' : (name ?? '')

// The constants from here to `unitCounts` were chosen by hand.

/** Passages that must all lack a word for it to count as lacking. */
const maxHolding = 4
const defaultCoverageWeight = 0.3
/** For a model with cosines in a narrow range, coverage must count less. */
const coverageWeights: Record<string, number> = { 'local:multilingual-e5-small': 0.08 }
const lengths = { min: 4, max: 8 }
/** A project of few units lacks most words of the language. One of many has its subjects, and an unknown word counts in full. */
const unitCounts = { few: 30, many: 10_000 }

/** Probability that the passages answer the question, 0 to 1. */
function toProbability({ model, ...evidence }: ReadEvidence): number {
  const { bias, ...weights } = model === null ? byWords : withModel[model]!
  const signs = Object.entries(weights) as [keyof Evidence, number][]
  return 1 / (1 + Math.exp(-signs.reduce((sum, [sign, weight]) => sum + weight * evidence[sign], bias)))
}

/** `model`: null if none was used. Cosines of an unknown model are ignored. */
type ReadEvidence = Evidence & { model: string | null }

/**
 * `frob a widget` with 30 units that lack `frob`: 1/2 of the words, of which log 2 / log 334 = .12 counts. Lacking is the
 * similarity of `frob` to the question, or of `widget` if none of the best passages has it either and it is more similar.
 */
export async function readEvidence(
  question: string,
  { passages, words, unknownWords, units, model: name }: Passages,
  similarities: Similarities,
): Promise<ReadEvidence> {
  const model = toKnown(name)
  const [nearness] = (model in withModel && (await similarities([{ text: question, others: words }]))) || []
  const coverageWeight = (nearness && coverageWeights[model]) || defaultCoverageWeight
  const toQuality = ({ similarity, coverage }: Passage) =>
    (nearness ? (similarity ?? 0) : 0) + coverageWeight * coverage
  const best = passages.slice(0, maxHolding)
  const lacking = words.map((word, at) =>
    best.every(({ lacks }) => lacks.includes(word)) ? (nearness?.[at] ?? 0) : 0,
  )
  const length = countOwnWords(question)
  const size = Math.min(1, Math.log1p(units / unitCounts.few) / Math.log1p(unitCounts.many / unitCounts.few))
  return {
    model: nearness ? model : null,
    best: Math.max(0, ...passages.map(toQuality)),
    unknown: size * Math.min(1, unknownWords.length / Math.max(1, length)),
    length: Math.min(lengths.max, Math.max(lengths.min, length)),
    lacking: Math.max(0, ...lacking),
    size: size ** 2,
  }
}

/** Without stop words. */
function countOwnWords(question: string): number {
  const stopWords = findStopWords(question)
  return toWords(question).filter(({ text }) => !stopWords.has(readTerms(text)[0] ?? text)).length
}

export interface RoundDeps {
  passages(request: PassageRequest): Promise<Passages>
  review: ReviewPassages
}

/** All results of the wording that was judged. */
export interface Found extends Passages {
  /** The searched wordings, in order. */
  queries: string[]
  review: Review
}

/** Mode `auto` runs a second round only if the first finds too little. */
const maxRounds: Record<RetrievalMode, number> = { instant: 1, auto: 2, think: 3 }
/** Passages of one round, enough for the review to choose from. */
const maxFound = 20
/** Weight of a passage of a further round. One of the first counts 1. */
const furtherWeight = 0.8

/**
 * Returns the first wording that can be answered, else the one closest to it, or the first if all are refused. Among open ones
 * that can be answered, returns the one with the most similar best passage by meaning: words differ in each wording.
 * When reasoning, searches all wordings, and further rounds add to the results of the first. `onRound` is called before each round, from 1.
 */
export async function searchInRounds(
  { wordings: { texts, isOpen }, mode }: { wordings: Wordings; mode: RetrievalMode },
  request: Omit<PassageRequest, 'q' | 'limit'>,
  { passages, review }: RoundDeps,
  onRound: (round: number) => void,
): Promise<Found> {
  const queries: string[] = []
  let best: Found | null = null
  while (queries.length < maxRounds[mode]) {
    const query: string | null =
      texts[queries.length] ?? (mode === 'think' ? withHeading(texts[0]!, best) : null)
    if (query === null || queries.includes(query)) break
    queries.push(query)
    onRound(queries.length)
    const found = await passages({ ...request, q: query, limit: maxFound })
    const judged: Found = { ...found, queries, review: await review(found.q, found) }
    if (mode === 'think' && best?.review.verdict === 'answerable') best = await join(best, found, review)
    else if (best === null || isNearer(judged, best)) best = judged
    const isDecided = !isOpen || found.model === null
    if (best.review.verdict === 'answerable' && mode !== 'think' && isDecided) break
  }
  return best!
}

/** If all wordings are refused, the first counts: others may be similar only to the previous question. */
function isNearer(judged: Found, best: Found): boolean {
  const isAnswerable = [judged, best].every(({ review }) => review.verdict === 'answerable')
  const toSimilarity = ({ passages }: Found) => passages[0]?.similarity ?? 0
  if (isAnswerable) return toSimilarity(judged) > toSimilarity(best)
  return judged.review.verdict !== 'refused' && judged.review.probability > best.review.probability
}

async function join(best: Found, found: Passages, review: ReviewPassages): Promise<Found> {
  const known = new Set(best.passages.map(({ unit }) => unit))
  const added = found.passages
    .filter(({ unit }) => !known.has(unit))
    .map((passage) => ({ ...passage, score: furtherWeight * passage.score }))
  const all = [...best.passages, ...added].sort((a, b) => b.score - a.score)
  const judged = await review(best.q, { ...found, passages: all, unknownWords: [] })
  return judged.verdict === 'answerable' ? { ...best, review: judged, passages: all } : best
}

/** The heading of the best passage finds sections similar to it. */
function withHeading(query: string, best: Found | null): string | null {
  const [passage] = best?.passages ?? []
  return passage && best?.review.verdict === 'answerable' ? `${query} (${passage.title})` : null
}
