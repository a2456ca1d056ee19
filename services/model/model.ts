// The model port: what writes answers, and what turns text into vectors. A driver keeps nothing between calls.

/** A passage as the model is given it; `[1]` is the first. */
export interface ModelPassage {
  /** From 1: what an answer cites it by. */
  label: number
  title: string
  /** Further names of what it defines; left out where there is none. */
  also?: string[]
  url: string
  text: string
  /** Its score in the search that found it, comparable only within one answer. */
  score: number
}

export interface ModelMessage {
  role: 'user' | 'assistant'
  content: string
}

export interface AnswerRequest {
  /** The system prompt; passages and their labels in it, unless the model cites by itself. */
  instructions: string
  /** Oldest first. The last is the reader's question or, to continue a cut answer, that answer so far. */
  messages: ModelMessage[]
  /** The question as it was searched for, and the passages: what a driver without a language model works from. */
  question: string
  passages: ModelPassage[]
  /** Whether the provider is asked to reason first. */
  reason: boolean
}

export type ModelPart =
  /** New text; never empty. */
  | { type: 'text'; text: string }
  /** Of a model that cites by itself: the text so far rests on these words of the passage. */
  | { type: 'citation'; label: number; quote: string }
  /** Always the last part, and there is always one where nothing is thrown. */
  | {
      type: 'end'
      reason: ModelEnd
      /** Of a model that is verbatim: what `[1]`, `[2]` … of its answer stand for. */
      quoted?: Quotation[]
    }

/** Words of a passage. */
export interface Quotation {
  label: number
  quote: string
}

export type ModelEnd = 'stop' | 'length' | 'content_filter'

/** What went wrong at the provider; `retryable`: whether asking again may help. */
export type ModelFault =
  /** The key, the model or the request is refused: 401, 403, 404, another 4xx, a redirect. */
  | 'refused'
  /** 429. */
  | 'rate_limited'
  /** 5xx, no connection. */
  | 'unavailable'
  /** Silent for longer than the driver waits. */
  | 'silent'
  /** A model of this process whose files are still on their way, or could not be had. */
  | 'loading'
  /** A model of this process that has as many calls as it takes. */
  | 'busy'
  /** The stream broke off, ended without a reason, contained an invalid event, or exceeded 200,000 characters. */
  | 'broken'

export class ModelError extends Error {
  readonly fault: ModelFault
  readonly retryable: boolean

  /** The cause is for the log; nothing of it leaves the process. */
  constructor(fault: ModelFault, cause?: unknown) {
    super(`the model is ${fault}`, { cause })
    this.name = 'ModelError'
    this.fault = fault
    this.retryable = fault !== 'refused'
  }
}

/** Whether a model of this process cannot serve just now, which passes by itself: nothing to report. */
export function isNotReady(error: unknown): error is ModelError & { fault: 'loading' | 'busy' } {
  return error instanceof ModelError && (error.fault === 'loading' || error.fault === 'busy')
}

export interface Model {
  /** Names provider and model in traces, such as `openai-compatible:gpt-x`; `extractive` without one. */
  name: string
  /** It says nothing of its own: it quotes passages as they stand, and numbers its citations itself. */
  isVerbatim?: true
  /** It is given the passages as documents, cites them by parts of type `citation`, and needs no labels in its instructions. */
  citesItself?: true
  /**
   * Streams an answer. Throws ModelError, also in mid-stream; ends within a second of the signal's abort, which throws
   * the signal's reason. Never asks twice by itself.
   */
  answer(request: AnswerRequest, signal: AbortSignal): AsyncIterable<ModelPart>
}

/** Some models embed questions and passages differently. */
export type TextKind = 'question' | 'passage'

export interface Embedder {
  /** Names the model: vectors of two names never mix. Of a model of this process it changes once another has taken its place. */
  readonly name: string
  /** Those that it knows, two letters each; absent where it knows every one. */
  readonly languages?: string[] | undefined
  /**
   * A vector a text, in their order, all of one dimension and of length 1. At most 64 texts. A question and a passage
   * are distinguished, for models that want a prefix. Throws ModelError.
   */
  embed(kind: TextKind, texts: string[], signal: AbortSignal): Promise<Float32Array[]>
}
