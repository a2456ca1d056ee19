// How the runner steers the work on a run, and what ends that work before its time.
import { isAway } from '../services/errors.ts'

export interface RunControl {
  /** Aborts when the run is stopped; every request under way ends with it. */
  signal: AbortSignal
  /** Called at every page: the work is alive. */
  beat(): void
  /** Called when something was stored: a run that is resumed continues after it. */
  onProgress(): void
}

/** The run was ended or superseded while it worked: nothing more of it may be written. */
export class RunEnded extends Error {}

/**
 * Returns where a page or a source has brought about a fault of our own. Rejects with what ends the run all the same: it was
 * stopped, has ended, or a backend is away.
 */
export function throwUnlessFault(error: unknown, signal: AbortSignal): void {
  signal.throwIfAborted()
  if (isAway(error) || error instanceof RunEnded) throw error
}
