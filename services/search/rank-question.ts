// Orders candidates for a question. Its words are a reader's own, so no section holds all of them: what counts is all that
// speaks for a section, each sign by its weight. Names are ranked in rank.ts.
import { phraseShare } from './phrase.ts'
import { type Candidates, meaningEvidence, wordEvidence } from './question-evidence.ts'
import { byMeaning, byWords } from './question-weights.ts'
import { byScore, type Ranked } from './rank.ts'
import type { ParsedQuery } from './understand.ts'

/** Beside the evidence: phrases that are held, the page's boost as its logarithm, the page that the reader is on. */
const otherWeights = { phrase: 6, boost: 2, ownPage: 0.5 }
/** Share of the question that a heading must name, without naming much else, to be what was asked for. */
const mostlyNamed = 0.8

/**
 * Best first. `nearness`: how near a unit, by id, is to the question in meaning, 0 to 1; null without vectors.
 *
 * A score is the sum of the weighted evidence, as a share of what it could be. With the weights 3 for `section` and 1 for
 * `named`: a section that says .5 of the words and is not called so gets 3 × .5 / (3 + 1) = .375.
 */
export function rankQuestion(
  candidates: Candidates,
  query: ParsedQuery,
  pageUrl: string | null,
  nearness: ((unit: string) => number) | null = null,
): Ranked[] {
  const ownPage = pageUrl?.split('#')[0]
  const evidence =
    nearness === null ? wordEvidence(candidates, query) : meaningEvidence(candidates, query, nearness)
  const weights = Object.entries(nearness === null ? byWords : byMeaning)
  const max = weights.reduce((sum, [, weight]) => sum + Math.max(0, weight), 0)
  return candidates.hits
    .map((hit, at) => {
      const values: Record<string, number> = { ...evidence[at]! }
      let sum =
        otherWeights.phrase * phraseShare(query.phrases, hit.unit) +
        otherWeights.boost * Math.log(hit.unit.boost) +
        (hit.unit.url === ownPage ? otherWeights.ownPage : 0)
      for (const [name, weight] of weights) sum += weight * values[name]!
      return { hit, score: Math.max(0, sum / max), isTitleMatch: evidence[at]!.named > mostlyNamed }
    })
    .sort(byScore)
}
