// Vectors from every server that speaks OpenAI's embeddings.
import type { Embedder } from '../model.ts'
import { ModelError } from '../model.ts'
import { toModelError } from '../model-fault.ts'
import { toManner } from './embedding-manner.ts'
import { createOpenaiClient, type Endpoint } from './openai-client.ts'

interface EmbedderSettings extends Endpoint {
  model: string
  /** Seconds that a batch may take. */
  timeout: number
}

const maxTexts = 64

export function createOpenaiEmbedder(settings: EmbedderSettings): Embedder {
  const { model, key, timeout } = settings
  const client = createOpenaiClient(settings)
  return {
    name: `openai-compatible:${model}`,
    async embed(kind, texts, signal) {
      if (texts.length > maxTexts) throw new RangeError(`at most ${maxTexts} texts are embedded at once`)
      if (texts.length === 0) return []
      const { prefix, fields } = toManner(model, kind)
      const late = AbortSignal.timeout(timeout * 1000)
      try {
        const answer = await client.embeddings.create(
          { model, input: texts.map((text) => prefix + text), encoding_format: 'float', ...fields },
          { signal: AbortSignal.any([signal, late]) },
        )
        return toVectors(answer?.data, texts.length)
      } catch (error) {
        signal.throwIfAborted()
        if (late.aborted) throw new ModelError('silent')
        throw toModelError(error, error instanceof SyntaxError, key)
      }
    },
  }
}

/** Checks an answer that may be anything: one vector a text, all of one dimension. Throws ModelError. */
function toVectors(data: unknown, count: number): Float32Array[] {
  const items = Array.isArray(data) ? data.toSorted((a, b) => a?.index - b?.index) : []
  if (items.length !== count || items.some((item, n) => item?.index !== n)) {
    throw broken('there is not one vector for each text')
  }
  const vectors = items.map((item) => toUnitVector(item.embedding))
  if (new Set(vectors.map((vector) => vector.length)).size > 1) throw broken('the dimensions differ')
  return vectors
}

/** Of length 1. Throws ModelError for what has no direction. */
function toUnitVector(values: unknown): Float32Array {
  if (!Array.isArray(values) || !values.every(Number.isFinite))
    throw broken('a vector is not of finite numbers')
  const length = Math.sqrt(values.reduce((sum, value) => sum + value * value, 0))
  if (!(length > 0 && Number.isFinite(length))) throw broken('a vector is of no length')
  return Float32Array.from(values, (value) => value / length)
}

function broken(sentence: string): ModelError {
  return new ModelError('broken', new Error(sentence))
}
