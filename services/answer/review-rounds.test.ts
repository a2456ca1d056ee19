import { expect, test } from 'vitest'
import type { Passage, Passages } from '../search/passage.ts'
import type { RetrievalMode } from './follow-up.ts'
import type { Review } from './review.ts'
import { searchInRounds } from './review.ts'

const passage = (unit: string, score: number) => ({ unit, score, title: unit }) as unknown as Passage

/** Query → what it finds, best first. Answerable is what scores half. */
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

test('one round is enough where it finds enough', async () => {
  const { queries, rounds, units } = await search('auto', {
    first: [passage('a', 1)],
    other: [passage('b', 1)],
  })
  expect([queries, rounds, units]).toEqual([['first'], [1], ['a']])
})

test('another wording may find what the first did not', async () => {
  const found = await search('auto', { first: [passage('a', 0.1)], other: [passage('b', 1)], third: [] })
  expect([found.queries, found.question, found.units]).toEqual([['first', 'other'], 'other', ['b']])
})

test('where all are refused, the first wording counts', async () => {
  const { question, review } = await search('auto', {
    first: [passage('a', 0.2)],
    other: [passage('b', 0.3)],
  })
  expect([question, review.verdict]).toEqual(['first', 'refused'])
})

test('instant takes the first round as it is', async () => {
  const { queries, review } = await search('instant', { first: [], other: [passage('b', 1)] })
  expect([queries, review.verdict]).toEqual([['first'], 'refused'])
})

test('reasoning adds what further rounds find, behind what is as good', async () => {
  const finds = {
    first: [passage('a', 1), passage('b', 0.6)],
    other: [passage('b', 1), passage('c', 0.9)],
    'first (a)': [passage('d', 0.7)],
  }
  const { queries, units } = await search('think', finds, { texts: ['first', 'other'] })
  expect(queries).toEqual(['first', 'other', 'first (a)'])
  expect(units).toEqual(['a', 'c', 'b', 'd'])
})

test('of a question that may hang on the one before, the wording that is nearer in meaning counts', async () => {
  const near = (similarity: number, score = 1) => [{ ...passage(`near ${similarity}`, score), similarity }]
  const open = { isOpen: true, model: 'm' }
  const nearer = await search('auto', { first: near(0.5), other: near(0.6) }, open)
  expect([nearer.queries, nearer.question]).toEqual([['first', 'other'], 'other'])
  expect((await search('auto', { first: near(0.6), other: near(0.5) }, open)).question).toBe('first')
  expect((await search('auto', { first: near(0.5), other: near(0.6, 0.1) }, open)).question).toBe('first')
  const byWords = await search('auto', { first: near(0.5), other: near(0.6) }, { isOpen: true })
  expect(byWords.queries).toEqual(['first'])
})
