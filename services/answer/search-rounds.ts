// Looks for passages, wording by wording, in as many rounds as the mode allows: instant one, reasoning up to three,
// otherwise a second where the first finds too little.
import { toWords } from '../index/words.ts'
import type { Passage, PassageRequest, Passages } from '../search/passage.ts'
import type { ChatMessage } from '../store/chat.ts'
import { isReply, type Language } from './replies.ts'
import { countOwnWords, type Review, type ReviewPassages } from './review.ts'

export type RetrievalMode = 'instant' | 'auto' | 'think'

/** Words up to which a question hangs on the one before, stop words left out and counted: `And on Windows?`, `How do I turn it off?` */
const maxFollowUpWords = { own: 2, all: 3 }

/**
 * The wordings to search by, best first, from the question in the light of the conversation, `before`, oldest first. `How
 * do I set a timeout for a subprocess?`, then `And for threads?` → `And for threads? (How do I set a timeout for a
 * subprocess?)`, `And for threads?`; a question with words enough of its own goes first as it is. Mode `instant` takes it
 * as it is.
 */
export function contextualize(question: string, before: ChatMessage[], mode: RetrievalMode): string[] {
  const earlier = mode === 'instant' ? null : questionBefore(before)
  if (earlier === null) return [question]
  const joined = `${question} (${earlier})`
  const isFollowUp =
    countOwnWords(question) <= maxFollowUpWords.own || toWords(question).length <= maxFollowUpWords.all
  return isFollowUp ? [joined, question] : [question, joined]
}

/** The last one that was answered: one that was refused has led nowhere. */
function questionBefore(messages: ChatMessage[]): string | null {
  const answer = messages.findLastIndex(({ role, content }) => role === 'assistant' && !isReply(content))
  return messages.slice(0, Math.max(0, answer)).findLast(({ role }) => role === 'user')?.content ?? null
}

export interface RoundDeps {
  passages(request: PassageRequest): Promise<Passages>
  review: ReviewPassages
}

export interface Found {
  /** As searched for, in order. */
  queries: string[]
  /** The wording that was judged. */
  question: string
  review: Review
  /** All that was found, best first. */
  passages: Passage[]
}

const maxRounds: Record<RetrievalMode, number> = { instant: 1, auto: 2, think: 3 }
/** Of one round: enough for the review to choose from. */
const maxPassages = 20
/** A passage of a further round beside one of the first. */
const furtherWeight = 0.8

interface Wordings {
  /** Best first. */
  wordings: string[]
  language: Language
  mode: RetrievalMode
}

/**
 * Takes the first wording that can be answered, else the one that comes nearest, or the first if all are refused. When reasoning,
 * searches all wordings, and further rounds add to the results of the first.
 * `onRound` is called before each round, from 1.
 */
export async function searchInRounds(
  { wordings, language, mode }: Wordings,
  request: Omit<PassageRequest, 'q' | 'limit'>,
  { passages, review }: RoundDeps,
  onRound: (round: number) => void,
): Promise<Found> {
  const queries: string[] = []
  let best: Found | null = null
  while (queries.length < maxRounds[mode]) {
    const query: string | null =
      wordings[queries.length] ?? (mode === 'think' ? withHeading(wordings[0]!, best) : null)
    if (query === null || queries.includes(query)) break
    queries.push(query)
    onRound(queries.length)
    const found = await passages({ ...request, q: query, limit: maxPassages })
    const judged: Found = {
      queries,
      question: query,
      review: await review(query, language, found),
      passages: found.passages,
    }
    if (best?.review.verdict === 'answerable') best = await join(best, found, language, review)
    else if (best === null || isNearer(judged, best)) best = judged
    if (best.review.verdict === 'answerable' && mode !== 'think') break
  }
  return best!
}

/** If all wordings are refused, the first counts: others may be near only to the previous question. */
function isNearer({ review }: Found, best: Found): boolean {
  return review.verdict !== 'refused' && review.probability > best.review.probability
}

async function join(
  best: Found,
  found: Passages,
  language: Language,
  review: ReviewPassages,
): Promise<Found> {
  const known = new Set(best.passages.map(({ unit }) => unit))
  const added = found.passages
    .filter(({ unit }) => !known.has(unit))
    .map((passage) => ({ ...passage, score: furtherWeight * passage.score }))
  const all = [...best.passages, ...added].sort((a, b) => b.score - a.score)
  const judged = await review(best.question, language, { ...found, passages: all, unknownWords: [] })
  return judged.verdict === 'answerable' ? { ...best, review: judged, passages: all } : best
}

/** What the best passage is headed with leads to what stands beside it. */
function withHeading(query: string, best: Found | null): string | null {
  const [passage] = best?.passages ?? []
  return passage && best?.review.verdict === 'answerable' ? `${query} (${passage.title})` : null
}
