// The heartbeat of an activity: sent while the work goes on, so that Temporal notices in seconds that a worker is gone, and a
// cancel arrives here as fast.
import { Context } from '@temporalio/activity'
import { notClaimed } from './failures.ts'

/** Milliseconds; a cancel takes as long to arrive, and Temporal's throttle. */
const heartbeatInterval = 700
/** Work without a sign of life for longer counts as stuck, in milliseconds: the slowest crawl delays are minutes. */
const stuckTimeout = 60 * 60_000

export interface Heartbeat {
  /** Aborts when Temporal cancels the activity, when the worker ends, or by `stop`. */
  signal: AbortSignal
  /** Signs of life so far. */
  beats: number
  /** The work is alive. */
  beat(): void
  stop(reason: unknown): void
}

/**
 * Does `work` with a heartbeat; `onBeat` is called at every beat. Rejects with the reason of the stop where it was stopped, and with
 * NotClaimed where the worker ends meanwhile.
 */
export async function withHeartbeat<Result>(
  work: (heartbeat: Heartbeat) => Promise<Result>,
  onBeat: (heartbeat: Heartbeat) => void = () => {},
): Promise<Result> {
  const context = Context.current()
  const stopping = new AbortController()
  let aliveAt = performance.now()
  const heartbeat: Heartbeat = {
    signal: stopping.signal,
    beats: 0,
    beat() {
      heartbeat.beats += 1
      aliveAt = performance.now()
    },
    stop: (reason) => stopping.abort(reason),
  }
  const cancelled = () => {
    const ends = context.cancellationDetails?.workerShutdown
    heartbeat.stop(ends ? notClaimed() : context.cancellationSignal.reason)
  }
  context.cancellationSignal.addEventListener('abort', cancelled)
  if (context.cancellationSignal.aborted) cancelled()
  context.heartbeat()
  const timer = setInterval(() => {
    if (performance.now() - aliveAt < stuckTimeout) context.heartbeat(heartbeat.beats)
    onBeat(heartbeat)
  }, heartbeatInterval)
  try {
    return await work(heartbeat)
  } catch (error) {
    throw stopping.signal.aborted ? stopping.signal.reason : error
  } finally {
    clearInterval(timer)
    context.cancellationSignal.removeEventListener('abort', cancelled)
  }
}
