import { describe, expect, it, test, vi } from 'vitest'
import { toWordVector } from '../../test/model/word-vectors.ts'
import { type Embedder, ModelError, type ModelFault } from '../model/model.ts'
import { createQuestionVectors, createSimilarities } from './meaning.ts'

/** An endpoint that responds when a test lets it. */
function createEndpoint() {
  const requests: { question: string; answer(): void; fail(fault?: ModelFault): void }[] = []
  const embedder: Embedder = {
    name: 'm',
    embed: (kind, texts) =>
      new Promise((resolve, reject) => {
        expect(kind).toBe('question')
        requests.push({
          question: texts[0]!,
          answer: () => resolve([Float32Array.of(texts[0]!.length)]),
          fail: (fault = 'unavailable') => reject(new ModelError(fault)),
        })
      }),
  }
  let clock = 0
  const reported: unknown[] = []
  const vectors = createQuestionVectors({
    embedder,
    now: () => clock,
    report: (error) => reported.push(error),
  })
  return { vectors, requests, reported, pass: (milliseconds: number) => (clock += milliseconds) }
}

describe('vectors of questions', () => {
  it('are requested once', async () => {
    const { vectors, requests } = createEndpoint()
    const [one, two] = [vectors.of('why', 60_000), vectors.of('why', 60_000)]
    requests[0]!.answer()
    const found = { meaning: 'used', vector: { model: 'm', vector: Float32Array.of(3) } }
    expect([await one, await two, await vectors.of('why', 0)]).toEqual([found, found, found])
    expect(requests.length).toBe(1)
  })

  it('are given up after a timeout, and are ready for the next query', async () => {
    const { vectors, requests } = createEndpoint()
    expect(await vectors.of('why', 1)).toEqual({ meaning: 'late', vector: null })
    const next = vectors.of('why', 60_000)
    requests[0]!.answer()
    expect((await next).vector?.vector).toEqual(Float32Array.of(3))
    expect(requests.length).toBe(1)
  })

  it('are limited to a few requests at once', async () => {
    const { vectors, requests } = createEndpoint()
    const asked = ['a', 'b', 'c', 'd', 'e', 'f'].map((question) => vectors.of(question, 1))
    const meanings = (await Promise.all(asked)).map(({ meaning }) => meaning)
    expect(meanings).toEqual(['late', 'late', 'late', 'late', 'busy', 'busy'])
    expect(requests.length).toBe(4)
  })

  it('are not requested for a while after a failure, which is reported once', async () => {
    const { vectors, requests, reported, pass } = createEndpoint()
    const ask = async (question: string) => {
      const before = requests.length
      const asked = vectors.of(question, 60_000)
      if (requests.length > before) requests.at(-1)!.fail()
      return asked
    }
    expect([await ask('a'), await ask('b')]).toMatchObject([{ meaning: 'failed' }, { meaning: 'busy' }])
    expect(requests.length).toBe(1)
    pass(10_000)
    await ask('c')
    expect(requests.length).toBe(2)
    expect(reported).toEqual([new ModelError('unavailable')])
  })

  it.each(['loading', 'busy'] as const)(
    'are requested again at once from a local model that is %s, and nothing is reported',
    async (fault) => {
      const { vectors, requests, reported } = createEndpoint()
      for (const question of ['a', 'b']) {
        const asked = vectors.of(question, 60_000)
        requests.at(-1)!.fail(fault)
        expect(await asked).toEqual({ meaning: fault, vector: null })
      }
      expect(requests.length).toBe(2)
      expect(reported).toEqual([])
    },
  )

  it('are missing if embeddings are off', async () => {
    const report = () => expect.unreachable()
    const none = createQuestionVectors({ embedder: null, now: Date.now, report })
    expect(await none.of('why', 1)).toEqual({ meaning: 'off', vector: null })
  })
})

test('does not reuse a vector of a replaced model', async () => {
  const model = { name: 'm' }
  const embedder: Embedder = {
    get name() {
      return model.name
    },
    embed: async (_, texts) => texts.map(() => Float32Array.of(1, 0)),
  }
  const questions = createQuestionVectors({ embedder, now: Date.now, report })
  expect((await questions.of('why', 1_000)).vector?.model).toBe('m')
  model.name = 'other'
  expect((await questions.of('why', 1_000)).vector?.model).toBe('other')
})

/** Vectors of length 1 from the words of a text. `asked` has every request. */
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

test('returns the cosine of each text with each of its others, in order', async () => {
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
  // Each text is embedded once per kind, and not at all if there is nothing to compare it with.
  expect(asked).toEqual([
    { kind: 'question', texts: ['red apple', 'blue sky'] },
    { kind: 'passage', texts: ['red apple', 'blue sky'] },
  ])
})

test('requests many texts in batches', async () => {
  const { embedder } = createEmbedder()
  const others = Array.from({ length: 150 }, (_, n) => `text ${n}`)
  const [row] = (await createSimilarities({ embedder, report })([{ text: 'text 149', others }]))!
  expect(row!.length).toBe(150)
  expect(row![149]).toBeCloseTo(1, 5)
})

test('compares the first texts if there is no time for all', async () => {
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

test('returns null without an embedder, and if it fails, which is reported', async () => {
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
  // A local model that is loading or busy recovers by itself.
  expect(reported).toEqual([new ModelError('unavailable')])
})
