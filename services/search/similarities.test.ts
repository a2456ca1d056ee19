import { expect, test, vi } from 'vitest'
import { toWordVector } from '../../test/model/word-vectors.ts'
import { type Embedder, ModelError } from '../model/model.ts'
import { createSimilarities } from './similarities.ts'

/** Vectors of length 1 by the words of a text; `asked` holds every request. */
function createEmbedder() {
  const asked: { kind: string; texts: string[] }[] = []
  const embedder: Embedder = {
    name: 'm',
    async embed(kind, texts) {
      asked.push({ kind, texts })
      return texts.map((text) => {
        const vector = toWordVector(text)
        const length = Math.hypot(...vector)
        return Float32Array.from(vector, (value) => value / length)
      })
    },
  }
  return { embedder, asked }
}

const report = () => expect.unreachable()

test('the cosine of each text to each of its others, in their order', async () => {
  const { embedder, asked } = createEmbedder()
  const similarities = createSimilarities({ embedder, report })
  const found = await similarities([
    { text: 'red apple', others: ['red apple', 'blue sky'] },
    { text: 'alone', others: [] },
    { text: 'blue sky', others: ['red apple'] },
  ])
  expect(found!.map((row) => row.length)).toEqual([2, 0, 1])
  expect(found![0]![0]).toBeCloseTo(1, 5)
  expect(found![0]![1]).toBeLessThan(0.9)
  expect(found![2]![0]).toBeCloseTo(found![0]![1]!, 5)
  // A text is embedded once of a kind, and not at all where there is nothing to compare it with.
  expect(asked).toEqual([
    { kind: 'question', texts: ['red apple', 'blue sky'] },
    { kind: 'passage', texts: ['red apple', 'blue sky'] },
  ])
})

test('many texts are asked for in turns', async () => {
  const { embedder } = createEmbedder()
  const others = Array.from({ length: 150 }, (_, n) => `text ${n}`)
  const [row] = (await createSimilarities({ embedder, report })([{ text: 'text 149', others }]))!
  expect(row!.length).toBe(150)
  expect(row![149]).toBeCloseTo(1, 5)
})

test('the first ones count where there is no time for all', async () => {
  vi.spyOn(AbortSignal, 'timeout').mockImplementationOnce(() => stop.signal)
  const stop = new AbortController()
  const { embedder } = createEmbedder()
  const slow: Embedder = {
    name: 'm',
    async embed(kind, texts, signal) {
      if (texts.includes('text 99')) stop.abort(new Error('late'))
      signal.throwIfAborted()
      return embedder.embed(kind, texts, signal)
    },
  }
  const others = Array.from({ length: 100 }, (_, n) => `text ${n}`)
  const rows = await createSimilarities({ embedder: slow, report })([
    { text: 'text 0', others },
    { text: 'text 1', others: ['never reached'] },
  ])
  expect(rows![0]!.length).toBeGreaterThan(0)
  expect(rows![0]!.length).toBeLessThan(100)
  expect(rows![0]![0]).toBeCloseTo(1, 5)
  expect(rows![1]).toEqual([])
})

test('null without an embedder, and where it fails, which is reported', async () => {
  const pairs = [{ text: 'a', others: ['b'] }]
  expect(await createSimilarities({ embedder: null, report })(pairs)).toBeNull()
  const reported: unknown[] = []
  for (const fault of ['unavailable', 'loading', 'busy'] as const) {
    const failing: Embedder = {
      name: 'm',
      embed: async () => {
        throw new ModelError(fault)
      },
    }
    const similarities = createSimilarities({ embedder: failing, report: (error) => reported.push(error) })
    expect(await similarities(pairs)).toBeNull()
  }
  // A model of this process that is not there yet or has enough to do passes by itself.
  expect(reported).toEqual([new ModelError('unavailable')])
})
