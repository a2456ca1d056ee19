import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import type { EmbeddingsConfig } from '../config.ts'
import { type Embedder, ModelError } from '../model/model.ts'
import { createTextVectors } from './clusters.ts'

const local = { local: 'all-minilm-l6-v2', folder: '/nowhere' } as EmbeddingsConfig
const reported = vi.fn()
let asked: string[][] = []
beforeEach(() => {
  vi.useFakeTimers()
  asked = []
  reported.mockReset()
})
afterEach(() => vi.useRealTimers())

function open(
  embed: (texts: string[]) => Promise<Float32Array[]>,
  embeddings: EmbeddingsConfig | null = local,
) {
  const embedder: Embedder = {
    name: 'model',
    languages: ['en'],
    embed: (_kind, texts) => {
      asked.push(texts)
      return embed(texts)
    },
  }
  return createTextVectors({
    embeddings,
    embedder: embeddings && embedder,
    readLanguages: async (texts) => texts.map((text) => (text.startsWith('wie') ? 'de' : 'en')),
    report: reported,
  })
}

const toVectors = async (texts: string[]) => texts.map((text) => Float32Array.of(text.length))

test('embeds a text once, and none in languages that the model does not know', async () => {
  const vectors = open(toVectors)
  const texts = ['one', 'wie geht das', 'three', 'one']
  expect([...(await vectors(texts)).vectors.keys()]).toEqual(['one', 'three'])
  expect((await vectors(texts)).vectors.size).toBe(2)
  expect(asked).toEqual([['one', 'three']])
})

test('does not wait for a slow embedding, and has it the next time', async () => {
  const made = Promise.withResolvers<Float32Array[]>()
  const vectors = open(() => made.promise)
  const first = vectors(['one'])
  await vi.advanceTimersByTimeAsync(1_000)
  expect((await first).vectors.size).toBe(0)
  expect((await vectors(['one', 'two'])).vectors.size).toBe(0)
  expect(asked).toEqual([['one']])
  made.resolve([Float32Array.of(1)])
  await vi.advanceTimersByTimeAsync(0)
  expect((await vectors(['one'])).vectors.size).toBe(1)
})

test('returns no vectors if the model is loading or fails', async () => {
  const loading = open(async () => Promise.reject(new ModelError('loading')))
  expect((await loading(['one'])).vectors.size).toBe(0)
  expect(reported).not.toHaveBeenCalled()
  const failing = open(async () => Promise.reject(new ModelError('unavailable')))
  expect((await failing(['one'])).vectors.size).toBe(0)
  expect(reported).toHaveBeenCalledOnce()
})

test.each([null, { url: 'https://models.example', model: 'm', key: null } as unknown as EmbeddingsConfig])(
  'embeds nothing with %j',
  async (embeddings) => {
    expect((await open(toVectors, embeddings)(['one'])).vectors.size).toBe(0)
    expect(asked).toEqual([])
  },
)
