// How an answer comes about, as its reader is told, and how it came out.
import type { MessageInitShape } from '@bufbuild/protobuf'
import type { TurnStage, TurnStatusDetailSchema } from '../../gen/lectern/v1/turn_pb.js'
import type { ChatSource, ChatStop, Trace } from '../store/chat.ts'

export type StageDetail = MessageInitShape<typeof TurnStatusDetailSchema>

export interface AnswerEvents {
  /** A stage begins; one that was under way is completed, with the detail given then. */
  stage(stage: TurnStage, detail?: StageDetail): void
  /** What is told when the stage under way completes. */
  found(detail: StageDetail): void
  token(text: string): void
}

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
