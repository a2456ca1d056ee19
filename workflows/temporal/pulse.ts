// The heartbeat of an activity: told to Temporal while the work gets on, so that a worker that is gone is noticed in
// seconds, and a cancel arrives here as fast.
import { Context } from '@temporalio/activity'
import { notTakenUp } from './failures.ts'

/** Milliseconds; a cancel takes as long to arrive, and Temporal's throttle. */
const heartbeatInterval = 700
/** Work without a sign of life for longer counts as stuck, in milliseconds: the slowest crawl delays are minutes. */
const stuckTimeout = 60 * 60_000

export interface Pulse {
  /** Aborts when Temporal cancels the activity, when the worker ends, or by `stop`. */
  signal: AbortSignal
  /** Signs of life so far. */
  beats: number
  /** The work is alive. */
  beat(): void
  stop(reason: unknown): void
}

/**
 * Does `work` with a pulse; `look` is done at every beat. Rejects with the reason of the stop where it was stopped, and with
 * NotTakenUp where the worker ends meanwhile.
 */
export async function withPulse<Result>(
  work: (pulse: Pulse) => Promise<Result>,
  look: (pulse: Pulse) => void = () => {},
): Promise<Result> {
  const context = Context.current()
  const stopping = new AbortController()
  let aliveAt = performance.now()
  const pulse: Pulse = {
    signal: stopping.signal,
    beats: 0,
    beat() {
      pulse.beats += 1
      aliveAt = performance.now()
    },
    stop: (reason) => stopping.abort(reason),
  }
  const cancelled = () => {
    const ends = context.cancellationDetails?.workerShutdown
    pulse.stop(ends ? notTakenUp() : context.cancellationSignal.reason)
  }
  context.cancellationSignal.addEventListener('abort', cancelled)
  if (context.cancellationSignal.aborted) cancelled()
  context.heartbeat()
  const timer = setInterval(() => {
    if (performance.now() - aliveAt < stuckTimeout) context.heartbeat(pulse.beats)
    look(pulse)
  }, heartbeatInterval)
  try {
    return await work(pulse)
  } catch (error) {
    throw stopping.signal.aborted ? stopping.signal.reason : error
  } finally {
    clearInterval(timer)
    context.cancellationSignal.removeEventListener('abort', cancelled)
  }
}
