import { expect, test } from 'vitest'
import type { Passage, Passages } from '../search/passage.ts'
import type { Reading, RetrievalMode } from './contextualize.ts'
import type { Review } from './review.ts'
import { searchInRounds } from './search-rounds.ts'

const passage = (unit: string, score: number, text = '') =>
  ({
    unit,
    score,
    title: unit,
    pageTitle: '',
    path: [],
    text,
    url: `https://docs.test/${unit}`,
  }) as unknown as Passage

/** Query → what it finds, best first. Answerable is what scores half and leaves no word unknown. */
async function search(
  mode: RetrievalMode,
  finds: Record<string, Passage[]>,
  unknown: Record<string, string[]> = {},
  reading: Partial<Reading> = {},
) {
  const [query, ...others] = Object.keys(finds)
  const rounds: number[] = []
  const passages = async ({ q }: { q: string }): Promise<Passages> => ({
    passages: finds[q] ?? [],
    unknownWords: unknown[q] ?? [],
  })
  const review = (_question: string, found: Passages): Review =>
    found.unknownWords.length === 0 && (found.passages[0]?.score ?? 0) >= 0.5
      ? { verdict: 'answerable', passages: found.passages }
      : { verdict: 'refused', reason: 'too little', nearest: [] }
  const whole: Reading = { query: query!, others, subject: [], cited: null, ...reading }
  const request = { project: 'p', pageUrl: null, docVersion: null, language: null, sourceTypes: null }
  const found = await searchInRounds(whole, mode, request, { passages, review }, (round) =>
    rounds.push(round),
  )
  return { ...found, rounds }
}

test('one round is enough where it finds enough', async () => {
  const { queries, rounds, review } = await search('auto', {
    first: [passage('a', 1)],
    other: [passage('b', 1)],
  })
  expect([queries, rounds, review.verdict]).toEqual([['first'], [1], 'answerable'])
})

test('another wording may find what the first did not', async () => {
  const found = await search('auto', { first: [passage('a', 0.1)], other: [passage('b', 1)], third: [] })
  expect([found.queries, found.question, found.review.verdict]).toEqual([
    ['first', 'other'],
    'other',
    'answerable',
  ])
})

test('another wording leaves no word out that no page holds', async () => {
  const finds = { 'first kubernetes': [passage('a', 0.1)], first: [passage('b', 1)] }
  const { review } = await search('auto', finds, { 'first kubernetes': ['kubernetes'] })
  expect(review.verdict).toBe('refused')
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
  const { queries, review } = await search('think', finds)
  expect(queries).toEqual(['first', 'other', 'first (a)'])
  expect(review.verdict === 'answerable' && review.passages.map(({ unit }) => unit)).toEqual([
    'a',
    'c',
    'b',
    'd',
  ])
})

test('a follow-up leans on its subject', async () => {
  const finds = {
    first: [passage('a', 0.9, 'Turning off fsync.'), passage('b', 0.8, 'Turning off autovacuum.')],
  }
  const { review } = await search('auto', finds, {}, { subject: [{ word: 'autovacuum', weight: 1 }] })
  expect(review.verdict === 'answerable' && review.passages.map(({ unit }) => unit)).toEqual(['b', 'a'])
})

test('what is found nowhere may stand in the sections that the last answer cites', async () => {
  const finds = { first: [], second: [passage('a', 0.2), passage('b', 0.9)] }
  const cited = { query: 'second', urls: ['https://docs.test/a'] }
  const found = await search('auto', finds, { first: ['valid'] }, { others: [], cited })
  expect(found.queries).toEqual(['first', 'second'])
  expect(found.review.verdict === 'answerable' && found.review.passages.map(({ unit }) => unit)).toEqual([
    'a',
  ])
  expect((await search('instant', finds, {}, { others: [], cited })).review.verdict).toBe('refused')
})

test('what readers say is searched once more as documentation writes it, where little holds it', async () => {
  const asked = 'how do I kill a query'
  const finds = {
    [asked]: [{ ...passage('a', 0.6), coverage: 0.5 }],
    'terminate cancel query': [passage('b', 0.9)],
  }
  const found = await search('auto', finds, { [asked]: ['kill'] }, { others: [] })
  expect(found.queries).toEqual([asked, 'terminate cancel query'])
  expect(found.review.verdict === 'answerable' && found.review.passages.map(({ unit }) => unit)).toEqual([
    'b',
  ])
  const held = { [asked]: [{ ...passage('a', 0.6), coverage: 0.9 }] }
  expect((await search('auto', held, {}, { others: [] })).queries).toEqual([asked])
})
