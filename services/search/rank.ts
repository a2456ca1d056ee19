// Orders the candidates of a query. Reads the same evidence for every candidate, with different weights for names and
// questions: a name is looked up, while no section has all the words of a question.
import type { Hit, Unit } from '../index/search-index.ts'
import type { Candidates } from './retrieve.ts'
import type { Group, ParsedQuery } from './understand.ts'
import { countMatches, type GroupMatch, matchUnit, toLookup } from './unit-match.ts'

export interface Ranked {
  hit: Hit
  score: number
  isTitleMatch: boolean
}

/** From 0 to 1. In shares of the query's words, rare words count more. */
export interface Evidence {
  /** Share of the words in the section, each weighted by how well the section matches it. */
  section: number
  /** Share of the words that occur in the section, in its text or in the names above it. */
  covered: number
  /** The same as `section`, for all candidates of the page together. */
  page: number
  /** Share of the words in the first section of the page, which says what the page is about. */
  opening: number
  /** Share of the words in the heading, times the share of the heading in the query. */
  named: number
  /** How close together the words are: 1 if adjacent. */
  proximity: number
  /** How much the section only lists. */
  listing: number
  isFirst: number
  /** Of the text, as a logarithm: 1 for some 400 words. */
  length: number
  /** Similarity to the question in meaning, see retrieve.ts. 0 without vectors. */
  nearness: number
  /** Similarity of the most similar candidate of the page. */
  pageNearness: number
  /** Score of the section for a name, times `covered`: a section with half of the words counts less than half of one with all. */
  words: number
  /** The square of `named`: 1 if the query is the complete name of the section. */
  isName: number
  /** The same for the page's title, in its first section. */
  isTitle: number
  /** `named`, for a definition, which is what a name usually looks for. */
  isDefinition: number
  /** Share of the words in the heading, and in the page's title for its first section. */
  inHeading: number
  inTitle: number
  /** Share of the quoted phrases in the heading or text. */
  phrase: number
}

export type Weights = Partial<Record<keyof Evidence, number>>

/** Weights for a name, chosen by hand on the tuning half of `npm run bench -- search-quality`, like the next three. */
const nameWeights: Weights = {
  words: 1,
  isName: 0.9,
  isTitle: 0.6,
  isDefinition: 0.15,
  inTitle: 0.08,
  proximity: 0.2,
  phrase: 0.8,
  listing: -0.25,
}
const ownPageFactor = 1.05
/** Weight of each of the page's next best units. */
const nextBestWeight = 0.1
const maxNextBest = 3

/** Fitted by `npm run bench -- fit` on the open manuals: for a question without vectors, and with them. */
export const questionWeights = {
  byWords: {
    section: 3.8,
    covered: 4,
    page: 2.5,
    opening: 1.9,
    named: 2.5,
    proximity: 2.3,
    listing: -1.8,
    isFirst: -1.2,
    length: 1.5,
  },
  byMeaning: {
    section: 1.4,
    covered: 2.9,
    page: 1.5,
    opening: 0.8,
    named: 0.5,
    proximity: 1.4,
    listing: -2.4,
    isFirst: -0.3,
    length: 3.5,
    nearness: 3.4,
    pageNearness: 1.4,
  },
} satisfies Record<string, Weights>

/**
 * Weights for a question in addition to the fitted ones: quoted phrases, the logarithm of the page's boost, the reader's page, and
 * the position in the page for a single word. `What is a mutex?`: every section about it has the word, early ones explain it.
 */
const otherWeights = { phrase: 6, boost: 2, ownPage: 0.5, early: 3 }
/** Minimum share of the query that a heading must name to be the target. */
const mostlyNamed = 0.8

/**
 * Returns the best first. `pageUrl`: the page that the reader is on.
 *
 * The score of a question is the sum of the weighted evidence, as a share of its maximum. With the weights 3 for `section` and 1
 * for `named`, a section with .5 of the words and another name gets 3 × .5 / (3 + 1) = .375.
 */
export function rank(candidates: Candidates, query: ParsedQuery, pageUrl: string | null): Ranked[] {
  const ranked = rankHits(candidates, query, pageUrl)
  return [...ranked, ...rankHits({ ...candidates, hits: candidates.rest, nearest: null }, query, pageUrl)]
}

function rankHits(candidates: Candidates, query: ParsedQuery, pageUrl: string | null): Ranked[] {
  const weights: Weights = questionWeights[candidates.nearest === null ? 'byWords' : 'byMeaning']
  const max = sum(Object.values(weights).map((weight) => Math.max(0, weight)))
  const ownUrl = pageUrl?.split('#')[0]
  const evidence = readEvidence(candidates, query)
  const ranked = candidates.hits.map((hit, at): Ranked => {
    const { boost, url, ordinal } = hit.unit
    const own = evidence[at]!
    if (!query.isQuestion) {
      const score = Math.max(0, weigh(own, nameWeights)) * boost ** 0.5 * (url === ownUrl ? ownPageFactor : 1)
      return { hit, score, isTitleMatch: own.inHeading > mostlyNamed || own.isTitle > 0.25 }
    }
    const { phrase, ownPage, early } = otherWeights
    const place = query.groups.length === 1 ? early / (1 + ordinal / 5) : 0
    const others = otherWeights.boost * Math.log(boost) + (url === ownUrl ? ownPage : 0) + place
    const score = Math.max(0, (weigh(own, weights) + phrase * own.phrase + others) / max)
    return { hit, score, isTitleMatch: own.named > mostlyNamed }
  })
  return (query.isQuestion ? ranked : withNextBest(ranked)).sort(byScore)
}

function weigh(evidence: Evidence, weights: Weights): number {
  const names = Object.keys(weights) as (keyof Evidence)[]
  return names.reduce((sum, name) => sum + weights[name]! * evidence[name], 0)
}

/** Best first. Equal ones by position in the page, then by address, so that every index has the same order. */
function byScore(a: Ranked, b: Ranked): number {
  const [one, other] = [a.hit.unit, b.hit.unit]
  return b.score - a.score || one.ordinal - other.ordinal || one.url.localeCompare(other.url)
}

/** Adds to each unit a share of the next best units of its page, because a subject extends over its page. */
function withNextBest(ranked: Ranked[]): Ranked[] {
  const best = new Map<string, Ranked[]>()
  for (const [page, entries] of Map.groupBy(ranked, ({ hit }) => hit.unit.page))
    best.set(page, entries.sort((a, b) => b.score - a.score).slice(0, maxNextBest + 1))
  return ranked.map((entry) => {
    const others = best.get(entry.hit.unit.page)!.filter((other) => other !== entry)
    const scores = others.slice(0, maxNextBest).map(({ score }) => score)
    return { ...entry, score: entry.score + nextBestWeight * sum(scores) }
  })
}

export function readEvidence({ hits, openings, nearest }: Candidates, query: ParsedQuery): Evidence[] {
  const lookup = toLookup(query.groups)
  const mean = createMean(query.groups)
  const matches = hits.map(({ unit }) => matchUnit(unit, query, lookup))
  const said = matches.map(({ groups, bodyLength }) => groups.map((group) => saidIn(group, bodyLength)))
  const pages = new Map<string, { opening: number; unsaid: number[]; nearness: number }>()
  for (const [at, { unit }] of hits.entries()) {
    const first = openings.get(unit.page)
    const page = pages.get(unit.page) ?? {
      opening: first ? mean(countMatches(first, query.groups, lookup).groups.map(heldIn)) : 0,
      unsaid: query.groups.map(() => 1),
      nearness: 0,
    }
    pages.set(unit.page, page)
    // Other sections may cover what one section lacks of a word.
    page.unsaid = page.unsaid.map((share, word) => share * (1 - said[at]![word]!))
    page.nearness = Math.max(page.nearness, nearest?.nearness(unit.id) ?? 0)
  }
  return hits.map(({ unit }, at) => {
    const { groups, headingCovered, titleCovered, isNamed, proximity, bodyLength } = matches[at]!
    const page = pages.get(unit.page)!
    const covered = mean(said[at]!.map((share) => (share > 0 ? 1 : 0)))
    const inHeading = isNamed ? 1 : mean(groups.map(({ heading }) => heading))
    const named = isNamed ? 1 : inHeading * headingCovered
    const isFirst = unit.ordinal === 0 ? 1 : 0
    const inTitle = isFirst * mean(groups.map(({ title }) => title))
    return {
      section: mean(said[at]!),
      covered,
      page: mean(page.unsaid.map((share) => 1 - share)),
      opening: page.opening,
      named,
      proximity,
      listing: unit.listing ?? 0,
      isFirst,
      length: Math.min(1, Math.log1p(bodyLength) / 6),
      nearness: nearest?.nearness(unit.id) ?? 0,
      pageNearness: page.nearness,
      words: covered * mean(groups.map((group) => saidOfName(group, bodyLength))),
      isName: named ** 2,
      isTitle: (inTitle * titleCovered) ** 2,
      isDefinition: unit.kind === 'definition' ? named : 0,
      inHeading,
      inTitle,
      phrase: phraseShare(query.phrases, unit),
    }
  })
}

/** How well a section matches a word: by frequency relative to length. Names count more. */
function saidIn({ title, heading, path, body }: GroupMatch, bodyLength: number): number {
  return saturate(title + 2 * Math.max(heading, path) + body / (0.5 + (0.5 * bodyLength) / 200))
}

/** The same for a name, with other constants. */
function saidOfName({ title, heading, path, body }: GroupMatch, bodyLength: number): number {
  return saturate(2 * heading + 1.5 * title + path + body / (0.25 + (0.75 * bodyLength) / 120))
}

function saturate(weight: number): number {
  return weight / (weight + 1.2)
}

function heldIn({ title, heading, path, body }: GroupMatch): number {
  return Math.max(title, heading, path, Math.min(1, body))
}

/** Mean over the words of a query, weighted by rarity. */
export function createMean(groups: Group[]) {
  const weights = groups.map(({ idf, weight }) => idf * weight)
  const total = sum(weights) || 1
  return (shares: number[]): number => sum(weights.map((weight, at) => weight * shares[at]!)) / total
}

function sum(numbers: number[]): number {
  return numbers.reduce((total, number) => total + number, 0)
}

/** Maximum distance between two words of a phrase: the other terms of the first word (its parts and stem) may come between them. */
const maxGap = 5
/** Maximum occurrences of a phrase's first word that are checked in a unit. Prose has no more. */
const maxPlaces = 100

/** Share of the quoted phrases in the unit, in heading or body. */
export function phraseShare(phrases: string[][], { headingTerms, bodyTerms }: Unit): number {
  if (phrases.length === 0) return 0
  // The empty term between two spaces matches nothing, so that no phrase extends from the heading into the body.
  const text = `${headingTerms}  ${bodyTerms}`
  const likely = phrases.filter((phrase) => phrase.every((term) => text.includes(term)))
  if (likely.length === 0) return 0
  const terms = text.split(' ')
  return likely.filter((phrase) => holds(terms, phrase)).length / phrases.length
}

/** Checks each occurrence for as many terms as the phrase has, however often its words repeat. */
function holds(terms: string[], phrase: string[]): boolean {
  let first = -1
  for (let places = 0; places < maxPlaces; places++) {
    first = terms.indexOf(phrase[0]!, first + 1)
    if (first < 0) return false
    let at = first
    const follows = phrase.slice(1).every((term) => {
      const before = at++
      while (terms[at] !== term && at - before < maxGap) at++
      return terms[at] === term
    })
    if (follows) return true
  }
  return false
}
