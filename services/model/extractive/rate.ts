// What sentences and passages are worth as an answer.
import { type ClaimTerm, readClaim } from '../../answer/claim-terms.ts'
import { definedName } from '../../answer/passage-title.ts'
import { sameAs } from '../../answer/word-relations.ts'
import type { ModelPassage } from '../model.ts'
import {
  isShort,
  leadsSomewhere,
  type PassageParts,
  type QuotableSentence,
  wordsOf,
} from './passage-parts.ts'
import { hasCue, type Question } from './question.ts'

/** Beside the share of the question's words that a sentence holds. */
const worth = {
  title: 0.35,
  opening: 0.12,
  named: 0.15,
  defines: 0.8,
  example: 0.3,
  isName: 3,
  cue: 0.12,
  code: 0.1,
  item: -0.05,
  leaning: -0.25,
  lead: -0.1,
  action: 0.2,
}
/** How likely a passage is the one that answers, by its rank: retrieval has seen more than these sentences. */
const byRank = [1, 0.55, 0.45, 0.38, 0.34, 0.3, 0.28, 0.26]
/** What is said of news was true of one version; what a passage as a whole is worth beside its best sentence. */
const news = 0.7
const whole = 0.6
export interface Rated extends QuotableSentence {
  score: number
  /** Without what its place is worth. */
  share: number
}

/** Rarity of the question's words among the sentences: what all of them hold tells none of them apart. */
export function weigh(terms: ClaimTerm[], all: PassageParts[]): number[] {
  const sentences = all.flatMap(({ sentences }) => sentences)
  return terms.map((term) => {
    const holding = sentences.filter(({ claim }) => claim.terms.some((each) => isSame(term, each))).length
    return Math.log(1 + (sentences.length + 1) / (holding + 0.5))
  })
}

export function isSame(asked: ClaimTerm, said: ClaimTerm): boolean {
  if (asked.keys.some((key) => said.keys.includes(key))) return true
  return !asked.isName && !said.isName && sameAs(asked.root).has(said.root)
}

export function rate(
  question: Question,
  weights: number[],
  { passage, goesOn, sentences, code }: PassageParts,
): Rated[] {
  const title = readTitle(passage.title)
  const total = weights.reduce((sum, weight) => sum + weight, 0) || 1
  const titled = coveredBy(question, weights, title)
  return sentences.map((sentence, at) => {
    let share = 0
    for (const [number, term] of question.terms.entries()) {
      const weight = weights[number]! / total
      if (sentence.claim.terms.some((each) => isSame(term, each))) share += weight
      else if (title.some((each) => isSame(term, each))) share += worth.title * weight
    }
    const score =
      share +
      (at === 0 && !goesOn
        ? worth.opening + (question.kind === 'what' ? worth.defines : worth.named) * titled
        : 0) +
      (hasCue(question, sentence.text) ? worth.cue : 0) +
      (question.action && holdsAny([question.action], sentence.claim.terms) ? worth.action : 0) +
      (question.kind === 'how' && code.some(({ block }) => block === sentence.block + 1) ? worth.code : 0) +
      (sentence.isItem ? worth.item : 0) +
      (sentence.leans ? worth.leaning : 0) +
      (sentence.leads ? worth.lead : 0)
    return { ...sentence, share, score }
  })
}

/** A passage is worth its best sentence, and how much of the question it holds as a whole. */
export function worthOf(
  question: Question,
  weights: number[],
  parts: PassageParts,
  rated: Rated[],
  rank: number,
): number {
  const words = [...parts.sentences.flatMap(({ claim }) => claim.terms), ...readTitle(parts.passage.title)]
  const held = coveredBy(question, weights, words)
  const hasExample = question.kind === 'how' && parts.code.some(isShort)
  const value = (topOf(rated, parts)?.score ?? 0) + whole * held + (hasExample ? worth.example : 0)
  return (
    value *
    (byRank[rank] ?? 0.25) *
    (isNews(parts.passage) ? news : 1) *
    (1 + (isAsked(question, parts.passage) ? worth.isName : 0))
  )
}

/** Share of the question, rare words weighing more, that words hold. */
export function coveredBy(question: Question, weights: number[], words: ClaimTerm[]): number {
  const total = weights.reduce((sum, weight) => sum + weight, 0) || 1
  return question.terms.reduce(
    (sum, term, at) => sum + (words.some((word) => isSame(term, word)) ? weights[at]! / total : 0),
    0,
  )
}

/** Tells of changes, version by version. */
export function isNews({ url }: ModelPassage): boolean {
  return /what.?s.?new|release|changelog/iu.test(url)
}

/** The question names the very thing that the passage defines. */
function isAsked({ terms }: Question, { title }: ModelPassage): boolean {
  const named = readClaim(definedName(title) ?? title.replace(/\s\([^()]*\)$/u, '')).terms
  return (
    named.length === 1 && terms.some((term) => isSame(term, named[0]!) && (term.isName || terms.length === 1))
  )
}

export function readTitle(title: string): ClaimTerm[] {
  return readClaim(title.split(/\((?!\))/u)[0]!).terms
}

export function holdsAny(asked: ClaimTerm[], said: ClaimTerm[]): boolean {
  return asked.some((term) => said.some((each) => isSame(term, each)))
}

/** The best sentence that can stand alone, or with the example or list that it leads to. */
export function topOf(rated: Rated[], parts: PassageParts): Rated | undefined {
  const alone = rated.filter(
    (each) => !each.leans && (!each.leads || leadsSomewhere(parts, each)) && wordsOf(each.text) >= 4,
  )
  return alone.toSorted((a, b) => b.score - a.score)[0]
}
