// What speaks for each candidate of a question: what its section says, what its page says beside it and how that opens, and
// how near all of that is in meaning. Evidence that any manual has; what it weighs is fitted (question-weights.ts).
import type { Hit, Unit } from '../index/search-index.ts'
import type { ParsedQuery } from './understand.ts'
import { countMatches, type GroupMatch, matchUnit, toLookup } from './unit-match.ts'

/** From 0 to 1. Shares of the question's words count rare words for more. */
export interface WordEvidence {
  /** Share of the words that the section holds, each the more, the better it says it. */
  section: number
  /** Share that the section holds at all, in its text or in the names above it. */
  covered: number
  /** The same as `section`, of what the candidates of the page hold between them. */
  page: number
  /** Share that the first section of the page holds: it says what all of it is about. */
  opening: number
  /** Share that the heading holds, times the share of the heading that the question holds. */
  named: number
  /** How close together the words stand: 1 for side by side. */
  proximity: number
  /** How much the section only lists. */
  listing: number
  /** 1 for the first section of a page, which `opening` counts already. */
  isFirst: number
  /** Of the text, as a logarithm: 1 for some 400 words. */
  length: number
}

/** Nearness as nearest.ts has it. */
export interface MeaningEvidence extends WordEvidence {
  nearness: number
  /** The nearest candidate of the page. */
  pageNearness: number
}

const fields = { heading: 2, title: 1, path: 2, body: 1 }
const k1 = 1.2
const defaultLength = 200

export interface Candidates {
  hits: Hit[]
  /** The first unit of a page, by the page's UUID. */
  openings: ReadonlyMap<string, Unit>
}

/** The evidence of each hit, in their order. */
export function wordEvidence({ hits, openings }: Candidates, query: ParsedQuery): WordEvidence[] {
  const lookup = toLookup(query.groups)
  const weigh = createMean(query)
  const openingOf = new Map<string, number>()
  for (const [page, unit] of openings) {
    const { groups } = countMatches(unit, query.groups, lookup)
    openingOf.set(
      page,
      weigh((at) => heldIn(groups[at]!)),
    )
  }
  const judged = hits.map((hit) => {
    const match = matchUnit(hit, query, lookup)
    return { hit, match, said: match.groups.map((group) => saidIn(group, match.bodyLength)) }
  })
  /** Of each word, what none of the page's candidates says of it: the product of what each leaves. */
  const unsaid = new Map<string, number[]>()
  for (const { hit, said } of judged) {
    const left = unsaid.get(hit.unit.page) ?? said.map(() => 1)
    unsaid.set(
      hit.unit.page,
      left.map((share, at) => share * (1 - said[at]!)),
    )
  }
  return judged.map(({ hit, match, said }) => {
    const { unit } = hit
    return {
      section: weigh((at) => said[at]!),
      covered: weigh((at) => (said[at]! > 0 ? 1 : 0)),
      page: weigh((at) => 1 - unsaid.get(unit.page)![at]!),
      opening: openingOf.get(unit.page) ?? 0,
      named: weigh((at) => match.groups[at]!.heading) * match.headingCovered,
      proximity: match.proximity,
      listing: unit.listing ?? 0,
      isFirst: unit.ordinal === 0 ? 1 : 0,
      length: Math.min(1, Math.log1p(match.bodyLength) / 6),
    }
  })
}

/** The same with what is near in meaning. */
export function meaningEvidence(
  candidates: Candidates,
  query: ParsedQuery,
  nearness: (unit: string) => number,
): MeaningEvidence[] {
  const ofPage = new Map<string, number>()
  for (const { unit } of candidates.hits)
    ofPage.set(unit.page, Math.max(nearness(unit.id), ofPage.get(unit.page) ?? 0))
  return wordEvidence(candidates, query).map((evidence, at) => {
    const { id, page } = candidates.hits[at]!.unit
    return { ...evidence, nearness: nearness(id), pageNearness: ofPage.get(page)! }
  })
}

/** What a section says of a word: the more, the oftener it holds it for its length; names count for more. */
function saidIn({ title, heading, path, body }: GroupMatch, bodyLength: number): number {
  const names = fields.title * title + Math.max(fields.heading * heading, fields.path * path)
  const weighted = names + (fields.body * body) / (0.5 + (0.5 * bodyLength) / defaultLength)
  return weighted / (weighted + k1)
}

function heldIn({ title, heading, path, body }: GroupMatch): number {
  return Math.max(title, heading, path, Math.min(1, body))
}

/** Mean over the words of the question, rare ones weighing more. */
function createMean({ groups }: ParsedQuery) {
  const weights = groups.map(({ idf, weight }) => idf * weight)
  const all = weights.reduce((sum, weight) => sum + weight, 0) || 1
  return (shareOf: (at: number) => number): number =>
    weights.reduce((sum, weight, at) => sum + weight * shareOf(at), 0) / all
}
