import { describe, expect, it } from 'vitest'
import { type Embedder, ModelError, type ModelFault } from '../model/model.ts'
import { createQuestionVectors } from './question-vectors.ts'

/** An endpoint that answers when a test says so. */
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
  it('are asked for once', async () => {
    const { vectors, requests } = createEndpoint()
    const [one, two] = [vectors.of('why', 60_000), vectors.of('why', 60_000)]
    requests[0]!.answer()
    const found = { meaning: 'used', vector: { model: 'm', vector: Float32Array.of(3) } }
    expect([await one, await two, await vectors.of('why', 0)]).toEqual([found, found, found])
    expect(requests.length).toBe(1)
  })

  it('are given up after the time one waits, and are there for the next', async () => {
    const { vectors, requests } = createEndpoint()
    expect(await vectors.of('why', 1)).toEqual({ meaning: 'late', vector: null })
    const next = vectors.of('why', 60_000)
    requests[0]!.answer()
    expect((await next).vector?.vector).toEqual(Float32Array.of(3))
    expect(requests.length).toBe(1)
  })

  it('are not asked for beyond a few requests at once', async () => {
    const { vectors, requests } = createEndpoint()
    const asked = ['a', 'b', 'c', 'd', 'e', 'f'].map((question) => vectors.of(question, 1))
    const meanings = (await Promise.all(asked)).map(({ meaning }) => meaning)
    expect(meanings).toEqual(['late', 'late', 'late', 'late', 'busy', 'busy'])
    expect(requests.length).toBe(4)
  })

  it('are left alone for a while after a failure, which is reported once', async () => {
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
    'are asked for again at once of a model of this process that is %s, and nothing is reported',
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

  it('are none where embeddings are off', async () => {
    const report = () => expect.unreachable()
    const none = createQuestionVectors({ embedder: null, now: Date.now, report })
    expect(await none.of('why', 1)).toEqual({ meaning: 'off', vector: null })
  })
})
