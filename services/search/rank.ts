// Orders candidates for a name: how rare the matched words are, where they stand, whether they name the thing, how close they are.
// One configuration for every project; the numbers say what each sign is worth beside a full match of the words (1).
import type { Hit } from '../index/search-index.ts'
import { phraseShare } from './phrase.ts'
import type { Understood } from './understand.ts'
import { matchUnit, toLookup, type UnitMatch } from './unit-match.ts'

const worth = {
  /** The query is the unit's name, whole. */
  isName: 0.9,
  /** The same for the page's title, at its first unit. */
  isTitle: 0.6,
  /** A definition is what a name is looked up for. */
  definition: 0.15,
  /** The first unit of a page is about all of it. */
  opening: 0.08,
  closeness: 0.2,
  phrase: 0.8,
  ownPage: 0.05,
  /** The page's next best units: a subject is spread over its page. */
  restOfPage: 0.1,
}
const fields = { heading: 2, title: 1.5, path: 1, body: 1 }
const saturation = 1.2
const usualLength = 120
/** So many further units of a page speak for it. */
const mostOfRest = 3

export interface Ranked {
  hit: Hit
  score: number
  isTitleMatch: boolean
}

/** Best first. `pageUrl`: the page that the reader is on. */
export function rank(hits: Hit[], query: Understood, pageUrl: string | null): Ranked[] {
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
    const others = ofPage.slice(0, mostOfRest + 1).filter((_, at) => at !== own)
    const rest = others.slice(0, mostOfRest).reduce((sum, score) => sum + score, 0)
    return { ...entry, score: entry.score + worth.restOfPage * rest }
  })
}

function judge({ unit }: Hit, match: UnitMatch, query: Understood, isOwn: boolean) {
  const norm = 0.25 + (0.75 * match.bodyLength) / usualLength
  let sum = 0
  let most = 0
  let named = 0
  let matched = 0
  let titled = 0
  for (const [at, group] of query.groups.entries()) {
    const { title, heading, path, body } = match.groups[at]!
    const weight = group.rarity * group.share
    const weighted =
      fields.heading * heading + fields.title * title + fields.path * path + (fields.body * body) / norm
    sum += (weight * weighted) / (weighted + saturation)
    most += weight
    if (weighted > 0) matched += weight
    named += weight * heading
    titled += weight * title
  }
  if (most === 0) return { score: 0, isTitleMatch: false }
  const nameMatch = (named / most) * match.headingCovered
  const titleMatch = unit.ordinal === 0 ? (titled / most) * match.titleCovered : 0
  const signs =
    worth.isName * nameMatch ** 2 +
    worth.isTitle * titleMatch ** 2 +
    worth.definition * (unit.kind === 'definition' ? nameMatch : 0) +
    worth.opening * (unit.ordinal === 0 ? titled / most : 0) +
    worth.closeness * match.closeness +
    worth.phrase * phraseShare(query.phrases, unit)
  // A unit with half of the words is worth less than half of one with all.
  const total =
    ((sum / most) * (matched / most) + signs) * unit.boost ** 0.5 * (isOwn ? 1 + worth.ownPage : 1)
  return { score: total, isTitleMatch: named / most > 0.8 || titleMatch > 0.5 }
}
