// The model port: a language model that writes answers, and an embedder that converts text to vectors. Drivers are stateless.

/** A passage as sent to the model. */
export interface ModelPassage {
  /** Number by which an answer cites it, from 1. */
  label: number
  title: string
  /** Further names of a definition; absent if there are none. */
  also?: string[]
  url: string
  /** Its id: those of a section count up. */
  unit?: string
  text: string
  /** Score in its search, comparable only within one result. */
  score: number
}

export interface ModelMessage {
  role: 'user' | 'assistant'
  content: string
}

export interface AnswerRequest {
  /** The system prompt. Contains the passages and their labels, unless `citesItself`. */
  instructions: string
  /** Oldest first. The last is the reader's question, or the answer to continue. */
  messages: ModelMessage[]
  /** The query of the search, and the passages. */
  question: string
  passages: ModelPassage[]
  /** Whether to request reasoning. */
  reason: boolean
}

export type ModelPart =
  /** New text; never empty. */
  | { type: 'text'; text: string }
  /** Only with `citesItself`: the preceding text cites these words of the passage. */
  | { type: 'citation'; label: number; quote: string }
  /** The last part. Always present unless the stream throws. */
  | { type: 'end'; reason: ModelEnd }

/** Words of a passage. */
export interface Quotation {
  label: number
  quote: string
}

export type ModelEnd = 'stop' | 'length' | 'content_filter'

/** Kind of a failure. */
export type ModelFault =
  /** The provider rejects the key, the model or the request: 401, 403, 404, other 4xx, a redirect. */
  | 'refused'
  /** 429. */
  | 'rate_limited'
  /** 5xx, no connection. */
  | 'unavailable'
  /** Timeout. */
  | 'silent'
  /** The files of a local model are not available yet. */
  | 'loading'
  /** A local model has its maximum of concurrent calls. */
  | 'busy'
  /** The stream was interrupted, ended without a stop reason, had an invalid event, or exceeded 200,000 characters. */
  | 'broken'

export class ModelError extends Error {
  readonly fault: ModelFault
  readonly retryable: boolean

  /** The cause is only logged and never sent to callers. */
  constructor(fault: ModelFault, cause?: unknown) {
    super(`the model is ${fault}`, { cause })
    this.name = 'ModelError'
    this.fault = fault
    this.retryable = fault !== 'refused'
  }
}

/** Whether a local model is temporarily unable to serve. Not worth reporting. */
export function isNotReady(error: unknown): error is ModelError & { fault: 'loading' | 'busy' } {
  return error instanceof ModelError && (error.fault === 'loading' || error.fault === 'busy')
}

export interface Model {
  /** Names provider and model in traces, such as `openai-compatible:gpt-x`. */
  name: string
  /** The model gets the passages as documents, cites them by parts of type `citation`, and needs no labels in its instructions. */
  citesItself?: true
  /**
   * Streams an answer. Throws ModelError, also in mid-stream. After the signal aborts, throws its reason within a second.
   * Never retries.
   */
  answer(request: AnswerRequest, signal: AbortSignal): AsyncIterable<ModelPart>
}

/** Some models embed questions and passages differently. */
export type TextKind = 'question' | 'passage'

export interface Embedder {
  /** Model name. Vectors of different names are not comparable. Changes if a local model is replaced. */
  readonly name: string
  /** Supported languages (ISO 639-1); absent: all. */
  readonly languages?: string[] | undefined
  /**
   * Returns a unit vector for each text, in order, all of one dimension. At most 64 texts. Some models need a different
   * prefix for each `kind`. Throws ModelError.
   */
  embed(kind: TextKind, texts: string[], signal: AbortSignal): Promise<Float32Array[]>
}
