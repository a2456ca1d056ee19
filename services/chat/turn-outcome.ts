// The row that is kept of how a turn came out.
import type { Outcome } from '../answer/outcome.ts'
import type { ChatMessage, ChatStop, Trace } from '../store/chat.ts'

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
