// The figures of an evaluation, from 0 to 1; null where no question is of that kind.
import type { Answered, Outcome } from './outcome.ts'

export interface Scores {
  /** Of the answerable questions: those with an expected page among the first 1, 3, 10 pages of the search. */
  hit_at_1: number | null
  hit_at_3: number | null
  hit_at_10: number | null
  /** Mean of 1/rank, 0 where it is not among the first ten. */
  mrr: number | null
  /** How the answerable questions came out: shares that sum to 1. */
  answered_answerable: number | null
  pointed_answerable: number | null
  refused_answerable: number | null
  /** The same of the others, of which the best are refused. */
  answered_unanswerable: number | null
  pointed_unanswerable: number | null
  refused_unanswerable: number | null
  /** Of the answerable questions that were answered: those whose sources have an expected page. */
  cited_page: number | null
  /** The same, of those that search had among its first ten. */
  cited_page_found: number | null
  /** Share of all questions without a whole answer. */
  failed: number | null
}

/**
 * Ranks 1, 3, none of three answerable questions → hit@1 1/3, hit@3 2/3, MRR (1 + 1/3 + 0) / 3 = .444
 */
export function scoresOf(outcomes: Outcome[]): Scores {
  const answerable = outcomes.filter((each) => each.answerable)
  const others = outcomes.filter((each) => !each.answerable)
  const comparable = answerable.filter(({ cited }) => cited !== null)
  const within = (limit: number) => share(answerable, ({ rank }) => rank !== null && rank <= limit)
  const asked = outcomes.filter(({ answered }) => answered !== null)
  const came = (list: Outcome[], out: Answered) =>
    share(
      list.filter(({ answered }) => answered !== null && answered !== 'failed'),
      ({ answered }) => answered === out,
    )
  return {
    hit_at_1: within(1),
    hit_at_3: within(3),
    hit_at_10: within(10),
    mrr: mean(answerable.map(({ rank }) => (rank === null ? 0 : 1 / rank))),
    answered_answerable: came(answerable, 'answered'),
    pointed_answerable: came(answerable, 'pointed'),
    refused_answerable: came(answerable, 'refused'),
    answered_unanswerable: came(others, 'answered'),
    pointed_unanswerable: came(others, 'pointed'),
    refused_unanswerable: came(others, 'refused'),
    cited_page: share(comparable, ({ cited }) => cited === true),
    cited_page_found: share(
      comparable.filter(({ rank }) => rank !== null),
      ({ cited }) => cited === true,
    ),
    failed: share(asked, ({ answered }) => answered === 'failed'),
  }
}

function share(list: Outcome[], counts: (outcome: Outcome) => boolean): number | null {
  return mean(list.map((each) => (counts(each) ? 1 : 0)))
}

function mean(numbers: number[]): number | null {
  return numbers.length === 0 ? null : numbers.reduce((sum, each) => sum + each, 0) / numbers.length
}
