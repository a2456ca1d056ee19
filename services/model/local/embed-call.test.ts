import { expect, test } from 'vitest'
import { type Embedder, ModelError } from '../model.ts'
import { createCallingEmbedder, createEmbedCall } from './embed-call.ts'

const never = new AbortController().signal
const one = Float32Array.of(1, 0)

/** An embedder behind a call, as from another thread: values are cloned. */
function callTo(embedder: Embedder | null): Embedder {
  const call = createEmbedCall(() => embedder)
  return createCallingEmbedder('all-minilm-l6-v2', async (...args) => structuredClone(await call(...args)))
}

const answering = (embed: Embedder['embed']): Embedder => ({ name: 'local:all-minilm-l6-v2', embed })

test('returns the vectors of the other side, and the name and languages of its model', async () => {
  const embedder = callTo(
    answering(async (kind, texts) => texts.map(() => (kind === 'question' ? one : Float32Array.of(0, 1)))),
  )
  expect(await embedder.embed('question', ['a', 'b'], never)).toEqual([one, one])
  expect(await embedder.embed('passage', ['a'], never)).toEqual([Float32Array.of(0, 1)])
  expect(embedder).toMatchObject({ name: 'local:all-minilm-l6-v2', languages: ['en'] })
})

test('learns of a replaced model with its first vectors', async () => {
  const other: Embedder = { ...answering(async () => [one]), name: 'local:multilingual-e5-small' }
  const embedder = callTo(other)
  expect(embedder.name).toBe('local:all-minilm-l6-v2')
  await embedder.embed('question', ['a'], never)
  expect([embedder.name, embedder.languages]).toEqual(['local:multilingual-e5-small', undefined])
})

test('distinguishes a model that is still loading from one that rejects a text', async () => {
  await expect(callTo(null).embed('passage', ['a'], never)).rejects.toEqual(new ModelError('loading'))
  const refusing = answering(() => Promise.reject(new ModelError('refused', new Error('no tokens'))))
  const refused = await callTo(refusing)
    .embed('passage', ['a'], never)
    .catch((error) => error)
  expect(refused).toBeInstanceOf(ModelError)
  expect([refused.fault, refused.retryable]).toEqual(['refused', false])
})

test('does not wait after an abort', async () => {
  const leave = new AbortController()
  const embedder = callTo(answering(() => new Promise(() => {})))
  const vectors = embedder.embed('question', ['a'], leave.signal)
  leave.abort(new Error('too slow'))
  await expect(vectors).rejects.toThrow('too slow')
  await expect(embedder.embed('question', ['a'], leave.signal)).rejects.toThrow('too slow')
})
