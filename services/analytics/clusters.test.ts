import fc from 'fast-check'
import { expect, it, test } from 'vitest'
import { toClusters } from './clusters.ts'

const noMeanings = { vectors: new Map(), minAlike: Number.POSITIVE_INFINITY }
const counted = (counts: Record<string, number>) =>
  Object.entries(counts).map(([key, count]) => ({ key, count }))
const byWords = (counts: Record<string, number>) =>
  toClusters(counted(counts), noMeanings).map(({ question, count }) => [question, count])

test('other forms, other order and words without weight make no other question', () => {
  expect(
    byWords({ 'How do I install Harbor?': 2, 'installing harbor': 3, 'harbor, how to install it': 1 }),
  ).toEqual([['installing harbor', 6]])
})

test('other words make another question', () => {
  expect(byWords({ 'install harbor': 2, 'install proxy': 1, 設定を保存: 1, 設定を削除: 1 })).toHaveLength(4)
})

test('texts of one meaning are one question, whatever their words', () => {
  const vectors = new Map([
    ['dark mode', Float32Array.of(1, 0)],
    ['black theme', Float32Array.of(0.8, 0.6)],
    ['proxy', Float32Array.of(0, 1)],
  ])
  const texts = counted({ 'dark mode': 1, 'black theme': 2, proxy: 1 })
  expect(toClusters(texts, { vectors, minAlike: 0.7 })).toEqual([
    { question: 'black theme', count: 3, examples: ['black theme', 'dark mode'] },
    { question: 'proxy', count: 1, examples: ['proxy'] },
  ])
  expect(toClusters(texts, { vectors, minAlike: 0.9 })).toHaveLength(3)
})

test('a text without a vector joins by its words', () => {
  const vectors = new Map([['dark mode', Float32Array.of(1, 0)]])
  const texts = counted({ 'dark mode': 2, 'dark modes?': 1 })
  expect(toClusters(texts, { vectors, minAlike: 0.7 })[0]!.count).toBe(3)
})

test('at most five examples are told, the most frequent ones', () => {
  const counts = Object.fromEntries(Array.from({ length: 8 }, (_, n) => [`${' '.repeat(n)}proxy`, 8 - n]))
  const [cluster] = toClusters(counted(counts), noMeanings)
  expect(cluster).toMatchObject({ count: 36, examples: Object.keys(counts).slice(0, 5) })
})

it('loses no count, whatever readers write', () => {
  fc.assert(
    fc.property(fc.array(fc.record({ key: fc.string({ unit: 'grapheme' }), count: fc.nat(9) })), (texts) => {
      const sum = (of: { count: number }[]) => of.reduce((total, { count }) => total + count, 0)
      expect(sum(toClusters(texts, noMeanings))).toBe(sum(texts))
    }),
  )
})
