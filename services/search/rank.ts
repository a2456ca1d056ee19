// Orders candidates for a name: how rare the matched words are, where they stand, whether they name the thing, how close they are.
// One configuration for every project; the numbers say what each sign is worth beside a full match of the words (1).
// They were chosen by hand on the tuning half of `npm run bench -- search-quality`.
import type { Hit } from '../index/search-index.ts'
import { phraseShare } from './phrase.ts'
import type { ParsedQuery } from './understand.ts'
import { matchUnit, toLookup, type UnitMatch } from './unit-match.ts'

const weights = {
  /** The query is the unit's name, whole. */
  isName: 0.9,
  /** The same for the page's title, at its first unit. */
  isTitle: 0.6,
  /** A definition is what a name is looked up for. */
  definition: 0.15,
  /** The first unit of a page is about all of it. */
  opening: 0.08,
  proximity: 0.2,
  phrase: 0.8,
  ownPage: 0.05,
  /** The page's next best units: a subject is spread over its page. */
  restOfPage: 0.1,
}
const fields = { heading: 2, title: 1.5, path: 1, body: 1 }
const k1 = 1.2
const defaultLength = 120
/** So many further units of a page speak for it. */
const maxRest = 3

export interface Ranked {
  hit: Hit
  score: number
  isTitleMatch: boolean
}

/** Best first. `pageUrl`: the page that the reader is on. */
export function rank(hits: Hit[], query: ParsedQuery, pageUrl: string | null): Ranked[] {
  const lookup = toLookup(query.groups)
  const ownPage = pageUrl?.split('#')[0] ?? null
  const ranked = hits.map((hit) => {
    const match = matchUnit(hit, query, lookup)
    const isOwn = hit.unit.url === ownPage
    const { score, isTitleMatch } = judge(hit, match, query, isOwn)
    return { hit, score, isTitleMatch }
  })
  return withRestOfPage(ranked).sort(byScore)
}

/** Best first; of equal ones, the earlier in its page, then by address: the same on every index. */
export function byScore(a: Ranked, b: Ranked): number {
  const [one, other] = [a.hit.unit, b.hit.unit]
  return b.score - a.score || one.ordinal - other.ordinal || one.url.localeCompare(other.url)
}

/** Adds to each unit what the next best units of its page say. */
function withRestOfPage(ranked: Ranked[]): Ranked[] {
  const scores = new Map<string, number[]>()
  for (const { hit, score } of ranked) {
    const ofPage = scores.get(hit.unit.page)
    if (ofPage) ofPage.push(score)
    else scores.set(hit.unit.page, [score])
  }
  for (const ofPage of scores.values()) ofPage.sort((a, b) => b - a)
  return ranked.map((entry) => {
    const ofPage = scores.get(entry.hit.unit.page)!
    const own = ofPage.indexOf(entry.score)
    const others = ofPage.slice(0, maxRest + 1).filter((_, at) => at !== own)
    const rest = others.slice(0, maxRest).reduce((sum, score) => sum + score, 0)
    return { ...entry, score: entry.score + weights.restOfPage * rest }
  })
}

function judge({ unit }: Hit, match: UnitMatch, query: ParsedQuery, isOwn: boolean) {
  const norm = 0.25 + (0.75 * match.bodyLength) / defaultLength
  let sum = 0
  let max = 0
  let named = 0
  let matched = 0
  let titled = 0
  for (const [at, group] of query.groups.entries()) {
    const { title, heading, path, body } = match.groups[at]!
    const weight = group.idf * group.weight
    const weighted =
      fields.heading * heading + fields.title * title + fields.path * path + (fields.body * body) / norm
    sum += (weight * weighted) / (weighted + k1)
    max += weight
    if (weighted > 0) matched += weight
    named += weight * heading
    titled += weight * title
  }
  if (max === 0) return { score: 0, isTitleMatch: false }
  const nameMatch = (named / max) * match.headingCovered
  const titleMatch = unit.ordinal === 0 ? (titled / max) * match.titleCovered : 0
  const signs =
    weights.isName * nameMatch ** 2 +
    weights.isTitle * titleMatch ** 2 +
    weights.definition * (unit.kind === 'definition' ? nameMatch : 0) +
    weights.opening * (unit.ordinal === 0 ? titled / max : 0) +
    weights.proximity * match.proximity +
    weights.phrase * phraseShare(query.phrases, unit)
  // A unit with half of the words is worth less than half of one with all.
  const total =
    ((sum / max) * (matched / max) + signs) * unit.boost ** 0.5 * (isOwn ? 1 + weights.ownPage : 1)
  return { score: total, isTitleMatch: named / max > 0.8 || titleMatch > 0.5 }
}
