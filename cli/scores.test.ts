// Figures calculated by hand.
import { expect, test } from 'vitest'
import { computeScores, type QuestionResult } from './scores.ts'

const outcome = (given: Partial<QuestionResult>): QuestionResult => ({
  ...{ question: 'q', answerable: true, rank: null, answered: 'answered', cited: false },
  ...given,
})

test('computes each figure by its definition', () => {
  const scores = computeScores([
    outcome({ rank: 1, cited: true }),
    outcome({ rank: 3, cited: false }),
    outcome({ rank: null, cited: true }),
    outcome({ rank: 10, answered: 'refused', cited: null }),
    outcome({ rank: null, answered: 'failed', cited: null }),
    outcome({ rank: null, answered: 'pointed', cited: null }),
    outcome({ answerable: false, answered: 'refused', cited: null }),
    outcome({ answerable: false, answered: 'answered', cited: null }),
    outcome({ answerable: false, answered: 'refused', cited: null }),
  ])
  expect(scores).toEqual({
    hit_at_1: 1 / 6,
    hit_at_3: 2 / 6,
    hit_at_10: 3 / 6,
    mrr: (1 + 1 / 3 + 1 / 10) / 6,
    answered_answerable: 3 / 5,
    pointed_answerable: 1 / 5,
    refused_answerable: 1 / 5,
    answered_unanswerable: 1 / 3,
    pointed_unanswerable: 0,
    refused_unanswerable: 2 / 3,
    cited_page: 2 / 3,
    cited_page_found: 1 / 2,
    failed: 1 / 9,
  })
})

test('computes no figures of answers without answers', () => {
  const scores = computeScores([outcome({ rank: 2, answered: null, cited: null })])
  expect(scores).toMatchObject({ hit_at_1: 0, hit_at_3: 1, refused_answerable: null, failed: null })
})
