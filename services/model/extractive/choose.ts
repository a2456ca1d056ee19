// Chooses what to quote: the excerpt that answers best, with its example, and what other passages add.
//
//   question  "kill a command that runs longer than 30 seconds"
//   passages  [1] run      "Run a command. Wait for it. If the timeout expires, the process is killed. …" + code
//             [2] kill     "Kills the child."
//   scores    share of the question's words in the sentence, rare ones weighing more; the title's words help a little
//   first     the passage with the best sentence; one that ranks lower must have a much better one
//   chosen    [1] "If the timeout expires, the process is killed." + its code; [2] "Kills the child."
import { type ClaimTerm, readClaim } from '../../answer/claim-terms.ts'
import { shortTitle } from '../../answer/passage-title.ts'
import type { ModelPassage } from '../model.ts'
import { type Excerpt, toExcerpt, withContext } from './excerpt.ts'
import { readParts, wordsOf } from './passage-parts.ts'
import type { Question } from './question.ts'
import { coveredBy, holdsAny, isNews, type Rated, rate, readTitle, topOf, weigh, worthOf } from './rate.ts'

export interface Choice {
  main: Excerpt | null
  /** One sentence a page. */
  more: Excerpt[]
  /** Passages that nothing is quoted from. */
  rest: ModelPassage[]
}

const moreWords = 40
const mostMore = 5
/** Beside the best sentence: what one of another passage must be worth. */
const addition = 0.3
/** Share of the question that a sentence of another passage must hold with its title; retrieval's best need not. */
const pertinent = 0.5
/** Share of the question that the excerpt must hold: less is beside the point, and its section is only named. */
const leastCovered = 0.3

export function choose(question: Question, passages: ModelPassage[]): Choice {
  const all = passages.map(readParts)
  const weights = weigh(question.terms, all)
  const rated = all.map((parts) => ({ parts, rated: rate(question, weights, parts) }))
  const sections = [...new Set(passages.map(({ url }) => url))]
  const best = rated
    .map(({ parts, rated }) => ({
      parts,
      rated,
      top: topOf(rated, parts),
      value: worthOf(question, weights, parts, rated, sections.indexOf(parts.passage.url)),
    }))
    .filter((entry): entry is typeof entry & { top: Rated } => entry.top !== undefined)
    .sort((a, b) => b.value - a.value)
  const [first, ...others] = best
  if (first === undefined) return { main: null, more: [], rest: passages }
  const main = withContext(question, toExcerpt(question, first.parts, first.rated, first.top), all)
  if (coveredBy(question, weights, wordsIn(main)) < leastCovered)
    return { main: null, more: [], rest: passages }
  const said = new Set([pageOf(main.passage), ...main.sentences.map(({ text }) => text)])
  const names = question.terms.filter(({ isName }) => isName)
  const more = others
    .filter(({ parts: { passage }, top }) => {
      const page = pageOf(passage)
      const title = shortTitle(passage.title)
      const isNew = !said.has(page) && !said.has(top.text) && !(isNews(passage) && said.has(title))
      const held = coveredBy(question, weights, [...top.claim.terms, ...readTitle(passage.title)])
      const isWorth =
        top.score >= addition * first.top.score &&
        wordsOf(top.text) <= moreWords &&
        (held >= pertinent || (held > 0 && passage === passages[0]))
      // Where a thing is named, what is said of another one would read as if it were said of it.
      const isOfIt = names.length === 0 || holdsAny(names, [...top.claim.terms, ...readTitle(passage.title)])
      return !top.leads && isNew && isWorth && isOfIt && said.add(page).add(title).add(top.text)
    })
    .slice(0, mostMore)
    .map(({ parts, top }) => ({
      passage: parts.passage,
      sentences: [top],
      items: [],
      code: null,
      codeFrom: parts.passage,
      score: top.score,
    }))
  const quoted = new Set([main, ...more].map(({ passage }) => passage))
  return {
    main,
    more,
    rest: passages.filter((passage) => !quoted.has(passage) && passage.url !== main.passage.url),
  }
}

function wordsIn({ sentences, items, code, passage }: Excerpt): ClaimTerm[] {
  const said = [...sentences, ...items].flatMap(({ claim }) => claim.terms)
  return [...said, ...(code ? readClaim(code.text).terms : []), ...readTitle(passage.title)]
}

function pageOf({ url }: ModelPassage): string {
  return url.split('#')[0]!
}
