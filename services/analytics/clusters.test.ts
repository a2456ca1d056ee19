import fc from 'fast-check'
import { expect, it, test } from 'vitest'
import { toClusters } from './clusters.ts'

const noMeanings = { vectors: new Map(), minAlike: Number.POSITIVE_INFINITY }
const counted = (counts: Record<string, number>) =>
  Object.entries(counts).map(([key, count]) => ({ key, count }))
const byWords = async (counts: Record<string, number>) =>
  (await toClusters(counted(counts), noMeanings)).map(({ question, count }) => [question, count])

test('groups other forms, other order and stop words as one question', async () => {
  expect(
    await byWords({ 'How do I install Harbor?': 2, 'installing harbor': 3, 'harbor, how to install it': 1 }),
  ).toEqual([['installing harbor', 6]])
})

test('separates questions with other words', async () => {
  expect(
    await byWords({ 'install harbor': 2, 'install proxy': 1, 設定を保存: 1, 設定を削除: 1 }),
  ).toHaveLength(4)
})

test('groups texts of one meaning, whatever their words', async () => {
  const vectors = new Map([
    ['dark mode', Float32Array.of(1, 0)],
    ['black theme', Float32Array.of(0.8, 0.6)],
    ['proxy', Float32Array.of(0, 1)],
  ])
  const texts = counted({ 'dark mode': 1, 'black theme': 2, proxy: 1 })
  expect(await toClusters(texts, { vectors, minAlike: 0.7 })).toEqual([
    { question: 'black theme', count: 3, examples: ['black theme', 'dark mode'] },
    { question: 'proxy', count: 1, examples: ['proxy'] },
  ])
  expect(await toClusters(texts, { vectors, minAlike: 0.9 })).toHaveLength(3)
})

test('groups a text without a vector by its words', async () => {
  const vectors = new Map([['dark mode', Float32Array.of(1, 0)]])
  const texts = counted({ 'dark mode': 2, 'dark modes?': 1 })
  expect((await toClusters(texts, { vectors, minAlike: 0.7 }))[0]!.count).toBe(3)
})

test('lists at most five examples, the most frequent ones', async () => {
  const counts = Object.fromEntries(Array.from({ length: 8 }, (_, n) => [`${' '.repeat(n)}proxy`, 8 - n]))
  const [cluster] = await toClusters(counted(counts), noMeanings)
  expect(cluster).toMatchObject({ count: 36, examples: Object.keys(counts).slice(0, 5) })
})

const words = (start: string, count: number) =>
  Array.from(
    { length: count },
    (_, n) => `${start}${String.fromCharCode(97 + (n % 26), 97 + Math.floor(n / 26))}q`,
  ).join(' ')

test('compares the first 60 stems of a long text', async () => {
  const start = words('x', 60)
  expect(
    await byWords({ [`${start} ${words('y', 100)}`]: 1, [`${start} ${words('z', 100)}`]: 1 }),
  ).toHaveLength(1)
})

test('lets other work run while many texts are compared', async () => {
  const texts = Array.from({ length: 100 }, (_, n) => ({ key: words(`w${n}`, 40), count: 1 }))
  let [turns, isDone] = [0, false]
  const count = () => {
    turns++
    if (!isDone) setImmediate(count)
  }
  setImmediate(count)
  expect(await toClusters(texts, noMeanings)).toHaveLength(100)
  isDone = true
  expect(turns).toBeGreaterThan(3)
})

it('loses no count, whatever readers write', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.record({ key: fc.string({ unit: 'grapheme' }), count: fc.nat(9) })),
      async (texts) => {
        const sum = (of: { count: number }[]) => of.reduce((total, { count }) => total + count, 0)
        expect(sum(await toClusters(texts, noMeanings))).toBe(sum(texts))
      },
    ),
  )
})
