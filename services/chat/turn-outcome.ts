// How a turn came out, and the row that is kept of it.
import type { ChatMessage, ChatSource, ChatStop, Trace } from '../store/chat.ts'

export interface Outcome {
  /** Markdown, safe and checked; a sentence for the reader where there is no answer. */
  content: string
  sources: ChatSource[]
  stop: ChatStop
  continuations: number
  continuationAvailable: boolean
  /** Whether asking again may help; only where it failed. */
  retryable: boolean
  trace: Omit<Trace, 'timings'>
  /** Milliseconds since 1970; null where it did not come so far. */
  retrievedAt: number | null
  firstTokenAt: number | null
}

/** Said in place of an answer. */
export const sentences = {
  error: 'The answer could not be written. Please try again.',
  refusedModel: 'The answer could not be written.',
  contentFilter: 'The language model gave no answer to this.',
}

const complete: ReadonlySet<ChatStop> = new Set(['stop'])

/** What an answer's row takes from the outcome. */
export function toAnswerFields(outcome: Outcome) {
  return {
    content: outcome.content,
    sources: outcome.sources,
    stopReason: outcome.stop,
    incomplete: !complete.has(outcome.stop),
    continuationCount: outcome.continuations,
    continuationAvailable: outcome.continuationAvailable,
  } satisfies Partial<ChatMessage>
}

export function toTrace(
  { trace, retrievedAt, firstTokenAt }: Outcome,
  startedAt: number,
  now: number,
): Trace {
  return {
    ...trace,
    timings: {
      retrieved: (retrievedAt ?? now) - startedAt,
      firstToken: firstTokenAt === null ? null : firstTokenAt - startedAt,
      done: now - startedAt,
    },
  }
}
