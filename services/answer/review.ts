// Whether a question can be answered from what was found, and from which passages.

import type { Passage, Passages } from '../search/passage.ts'
import { continuation } from '../search/passage-text.ts'
import type { ChatSource } from '../store/chat.ts'
import { probabilityOf, thresholds } from './evidence.ts'
import { shortTitle, titleOf } from './passage-title.ts'

export interface Review {
  /** `pointed`: too little for an answer, but sections worth naming. */
  verdict: 'answerable' | 'pointed' | 'refused'
  /** That the passages answer the question, 0 to 1. */
  probability: number
  /** What an answer is made from: at most 8, best first, within the budget of text. */
  passages: Passage[]
}

const maxPassages = 8
/** Characters of all passages together. */
const budget = 14_000
/** A passage this much worse than the best has nothing to add. */
const worthwhile = 0.35
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
    if (passage.score < worthwhile * passages[0]!.score || (length > budget && chosen.length > 0)) break
    chosen.push(passage)
  }
  return chosen.slice(0, maxPassages)
}

/** Sections to be named, each once. */
export function nearestOf(passages: Passage[], max = maxNearest): ChatSource[] {
  const sources = new Map(
    passages.map((passage) => [passage.url, { title: shortTitle(titleOf(passage)), url: passage.url }]),
  )
  return [...sources.values()].slice(0, max)
}
