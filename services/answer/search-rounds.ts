// Looks for passages, in as many rounds as the mode allows (decisions.md "Chat": instant one, reasoning up to three,
// otherwise a second where the first finds too little).
import type { Passage, PassageRequest, Passages } from '../search/passage.ts'
import type { Reading, RetrievalMode } from './contextualize.ts'
import { inOtherWords } from './other-words.ts'
import type { Review } from './review.ts'

export interface RoundDeps {
  passages(request: PassageRequest): Promise<Passages>
  review(question: string, found: Passages): Review
}

export interface Found {
  /** As searched for, in order. */
  queries: string[]
  /** The wording that was judged. */
  question: string
  review: Review
  /** All that was found, best first: for the trace of a refusal. */
  passages: Passage[]
}

const mostRounds: Record<RetrievalMode, number> = { instant: 1, auto: 2, think: 3 }
/** Enough for the review to choose from. */
const passagesARound = 20
/** A passage of a further round beside one of the first. */
const furtherWeight = 0.8
/** Share of the question that one of the best passages must hold for no other wording to be tried. */
const mostOfQuestion = 0.85
const topPassages = 3
/** What is left of a passage that holds nothing of a follow-up's subject. */
const leastHeld = 0.3

/**
 * `onRound` is told of each round before it begins, from 1. Every wording is judged by what it finds itself, and by
 * the words of the first that no page holds: another wording must not make a question answerable by leaving out what
 * it asks about. A question that says next to nothing has the sections cited last as its second round. When reasoning,
 * further rounds add to what the first has found.
 */
export async function searchInRounds(
  reading: Reading,
  mode: RetrievalMode,
  request: Omit<PassageRequest, 'q' | 'limit'>,
  { passages, review }: RoundDeps,
  onRound: (round: number) => void,
): Promise<Found> {
  const queries: string[] = []
  const replaced: string[] = []
  const ahead = [reading.query, ...reading.others]
  let best: Found | null = null
  let first: Passages | null = null
  while (queries.length < mostRounds[mode]) {
    const query: string | null = ahead.shift() ?? (mode === 'think' ? withHeading(reading.query, best) : null)
    if (query === null || queries.includes(query)) break
    queries.push(query)
    onRound(queries.length)
    const found = leanOn(reading.subject, await passages({ ...request, q: query, limit: passagesARound }))
    first ??= found
    const unknownWords = [...new Set([...first.unknownWords, ...found.unknownWords])]
    const judged = review(query, {
      ...found,
      unknownWords: unknownWords.filter((word) => !replaced.includes(word)),
    })
    if (best === null || (best.review.verdict === 'refused' && judged.verdict === 'answerable')) {
      best = { queries, question: query, review: judged, passages: found.passages }
    } else if (best.review.verdict === 'answerable' && judged.verdict === 'answerable') {
      best = join(best, found, review)
    }
    if (queries.length === 1) {
      // What is worded as documentation words it goes first, as long as nothing holds most of the question as it is.
      const other = holdsMost(found) ? null : inOtherWords(reading.query)
      if (other) {
        ahead.unshift(other.query)
        replaced.push(...other.replaced)
        continue
      }
    }
    if (best.review.verdict === 'answerable' && mode !== 'think') break
  }
  const { cited } = reading
  if (cited !== null && best!.review.verdict === 'refused' && queries.length < mostRounds[mode]) {
    queries.push(cited.query)
    onRound(queries.length)
    const found = await passages({ ...request, q: cited.query, limit: passagesARound })
    const known = found.passages.filter(({ url }) => cited.urls.includes(url))
    if (known.length > 0)
      return { ...best!, review: { verdict: 'answerable', passages: known }, passages: known }
  }
  return best!
}

/** A follow-up is about its subject: what holds none of that counts little, however well it fits the other words. */
function leanOn(subject: Reading['subject'], { passages, unknownWords }: Passages): Passages {
  if (subject.length === 0) return { passages, unknownWords }
  const stems = subject.map(({ word, weight }) => ({
    stem: word.toLowerCase().replace(/(?<=.{3})e?s$/u, ''),
    weight,
  }))
  const weigh = (held: typeof stems) => held.reduce((sum, { weight }) => sum + weight, 0)
  const all = weigh(stems)
  const leaning = passages.map((passage) => {
    const text = [passage.pageTitle, passage.title, ...passage.path, passage.text].join('\n').toLowerCase()
    const share = weigh(stems.filter(({ stem }) => text.includes(stem))) / all
    return { ...passage, score: passage.score * (leastHeld + (1 - leastHeld) * share) }
  })
  return { passages: leaning.sort((a, b) => b.score - a.score), unknownWords }
}

function holdsMost({ passages }: Passages): boolean {
  return passages.slice(0, topPassages).some(({ coverage }) => coverage >= mostOfQuestion)
}

function join(best: Found, { passages }: Passages, review: RoundDeps['review']): Found {
  const known = new Set(best.passages.map(({ unit }) => unit))
  const added = passages
    .filter(({ unit }) => !known.has(unit))
    .map((passage) => ({ ...passage, score: furtherWeight * passage.score }))
  const all = [...best.passages, ...added].sort((a, b) => b.score - a.score)
  const judged = review(best.question, { passages: all, unknownWords: [] })
  return judged.verdict === 'answerable' ? { ...best, review: judged, passages: all } : best
}

/** What the best passage is headed with leads to what stands beside it. */
function withHeading(query: string, best: Found | null): string | null {
  const [passage] = best?.passages ?? []
  return passage && best?.review.verdict === 'answerable' ? `${query} (${passage.title})` : null
}
