import { expect, test } from 'vitest'
import type { Passage, Passages } from '../search/passage.ts'
import type { RetrievalMode } from './follow-up.ts'
import type { Review } from './review.ts'
import { searchInRounds } from './review.ts'

const passage = (unit: string, score: number) => ({ unit, score, title: unit }) as unknown as Passage

/** Maps a query to its results, best first. A score of .5 or more is answerable. */
async function search(
  mode: RetrievalMode,
  finds: Record<string, Passage[]>,
  { texts = Object.keys(finds), isOpen = false, model = null as string | null } = {},
) {
  const rounds: number[] = []
  const passages = async ({ q }: { q: string }): Promise<Passages> => ({
    ...{ q, corrections: [] },
    passages: finds[q] ?? [],
    words: [],
    unknownWords: [],
    units: 100,
    language: null,
    model,
  })
  const review = async (_question: string, { passages }: Passages): Promise<Review> => {
    const probability = passages[0]?.score ?? 0
    return { verdict: probability >= 0.5 ? 'answerable' : 'refused', probability, passages }
  }
  const request = { project: 'p', pageUrl: null, docVersion: null, language: null, sourceTypes: null }
  const found = await searchInRounds(
    { wordings: { texts, isOpen }, mode },
    request,
    { passages, review },
    (round) => rounds.push(round),
  )
  return { ...found, rounds, units: found.review.passages.map(({ unit }) => unit) }
}

test('stops after one round that finds enough', async () => {
  const { queries, rounds, units } = await search('auto', {
    first: [passage('a', 1)],
    other: [passage('b', 1)],
  })
  expect([queries, rounds, units]).toEqual([['first'], [1], ['a']])
})

test('tries another wording if the first finds nothing', async () => {
  const found = await search('auto', { first: [passage('a', 0.1)], other: [passage('b', 1)], third: [] })
  expect([found.queries, found.q, found.units]).toEqual([['first', 'other'], 'other', ['b']])
})

test('returns the result of the first wording if all are refused', async () => {
  const { q, review } = await search('auto', {
    first: [passage('a', 0.2)],
    other: [passage('b', 0.3)],
  })
  expect([q, review.verdict]).toEqual(['first', 'refused'])
})

test('instant mode uses only the first round', async () => {
  const { queries, review } = await search('instant', { first: [], other: [passage('b', 1)] })
  expect([queries, review.verdict]).toEqual([['first'], 'refused'])
})

test('reasoning mode adds the results of further rounds after equally good ones', async () => {
  const finds = {
    first: [passage('a', 1), passage('b', 0.6)],
    other: [passage('b', 1), passage('c', 0.9)],
    'first (a)': [passage('d', 0.7)],
  }
  const { queries, units } = await search('think', finds, { texts: ['first', 'other'] })
  expect(queries).toEqual(['first', 'other', 'first (a)'])
  expect(units).toEqual(['a', 'c', 'b', 'd'])
})

test('chooses the wording with the more similar results for a question that may be a follow-up', async () => {
  const near = (similarity: number, score = 1) => [{ ...passage(`near ${similarity}`, score), similarity }]
  const open = { isOpen: true, model: 'm' }
  const nearer = await search('auto', { first: near(0.5), other: near(0.6) }, open)
  expect([nearer.queries, nearer.q]).toEqual([['first', 'other'], 'other'])
  expect((await search('auto', { first: near(0.6), other: near(0.5) }, open)).q).toBe('first')
  expect((await search('auto', { first: near(0.5), other: near(0.6, 0.1) }, open)).q).toBe('first')
  const byWords = await search('auto', { first: near(0.5), other: near(0.6) }, { isOpen: true })
  expect(byWords.queries).toEqual(['first'])
})
