// Orders candidates for a question. Its words are a reader's own, so no section holds all of them: what counts is what a
// section says, what its page says beside it, and how near it is in meaning. Names are ranked in rank.ts.
import type { Hit } from '../index/search-index.ts'
import { phraseShare } from './phrase.ts'
import { byScore, type Ranked } from './rank.ts'
import type { Understood } from './understand.ts'
import { countMatches, type Lookup, toLookup } from './unit-match.ts'

const worth = {
  /** The words of the question that the page's candidates hold between them. */
  page: 1,
  /** The section that is nearest in meaning. */
  nearness: 0.35,
  /** The question's words in the first section of a page: it says what all of it is about. */
  opening: 0.2,
  /** The question's words in the heading: within a page, the section that is called so comes first. */
  named: 0.1,
  phrase: 0.8,
  ownPage: 0.05,
}
/** What a section and a page can reach between them: scores of questions lie beside those of names. */
const most = 2
const fields = { heading: 2, title: 1, path: 2, body: 1 }
const saturation = 1.2
const usualLength = 200
/** A heading that names so much of a question is what was asked for. */
const mostlyNamed = 0.8

/**
 * Best first. `nearness`: how near a unit, by id, is to the question in meaning, 0 to 1; null without vectors.
 *
 * `kill a job`, of one page: a section that holds `kill`, saying .8 of it, and one that holds `job`, saying .6 of it;
 * both words equally rare. The sections have (.8 + 0) / 2 = .4 and .3, the page has (.8 + .6) / 2 = .7. Its best section
 * gets .4 + .7, the other 3/4 of that.
 */
export function rankQuestion(
  hits: Hit[],
  query: Understood,
  pageUrl: string | null,
  nearness: ((unit: string) => number) | null = null,
): Ranked[] {
  const lookup = toLookup(query.groups)
  const judged = hits.map((hit) => judge(hit, query, lookup, nearness?.(hit.unit.id) ?? 0))
  const pages = new Map<string, Page>()
  for (const { hit, said, score, named } of judged) {
    const page = pages.get(hit.unit.page) ?? { unsaid: said.map(() => 1), best: 0, bestNamed: 0 }
    for (const [at, share] of said.entries()) page.unsaid[at]! *= 1 - share
    page.best = Math.max(page.best, score)
    page.bestNamed = Math.max(page.bestNamed, score + worth.named * named)
    pages.set(hit.unit.page, page)
  }
  const ownPage = pageUrl?.split('#')[0]
  return judged
    .map(({ hit, score, named }) => {
      const { unsaid, best, bestNamed } = pages.get(hit.unit.page)!
      const ofPage = worth.page * weigh(query, (at) => 1 - unsaid[at]!)
      const share = bestNamed === 0 ? 0 : (score + worth.named * named) / bestNamed
      const own = hit.unit.url === ownPage ? 1 + worth.ownPage : 1
      const total = ((best + ofPage) / most) * share * hit.unit.boost ** 0.5 * own
      return { hit, score: total, isTitleMatch: named > mostlyNamed }
    })
    .sort(byScore)
}

interface Page {
  /** Of each word of the question, what none of the page's sections says of it: the product of what each leaves. */
  unsaid: number[]
  /** Score of its best section, and of the best when what sections are called counts too. */
  best: number
  bestNamed: number
}

function judge(hit: Hit, query: Understood, lookup: Lookup, nearness: number) {
  const { unit } = hit
  const { groups, bodyLength } = countMatches(unit, query.groups, lookup)
  const norm = 0.5 + (0.5 * bodyLength) / usualLength
  const said = groups.map(({ title, heading, path, body }) => {
    const named = fields.title * title + Math.max(fields.heading * heading, fields.path * path)
    const weighted = named + (fields.body * body) / norm
    return weighted / (weighted + saturation)
  })
  const opening =
    unit.ordinal === 0
      ? weigh(query, (at) => {
          const { title, heading, path, body } = groups[at]!
          return Math.max(title, heading, path, Math.min(1, body))
        })
      : 0
  const named = weigh(query, (at) => groups[at]!.heading)
  const score =
    weigh(query, (at) => said[at]!) +
    worth.opening * opening +
    worth.nearness * nearness +
    worth.phrase * phraseShare(query.phrases, unit)
  return { hit, said, score, named }
}

/** Mean over the words of the question, rare ones weighing more. */
function weigh({ groups }: Understood, shareOf: (at: number) => number): number {
  let sum = 0
  let most = 0
  for (const [at, { rarity, share }] of groups.entries()) {
    sum += rarity * share * shareOf(at)
    most += rarity * share
  }
  return most === 0 ? 0 : sum / most
}
