// What went wrong of itself while a page or a source was read: a fault of ours that its content brought about.
import { isAway } from '../services/errors.ts'
import { RunEnded } from './run-ended.ts'

/** Rejects with what ends the run all the same: it was stopped, has ended, or a backend is away. */
export function throwUnlessFault(error: unknown, signal: AbortSignal): void {
  signal.throwIfAborted()
  if (isAway(error) || error instanceof RunEnded) throw error
}
