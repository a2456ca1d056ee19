// The heartbeat of an activity, and how it fails. Beats while the work runs, so that Temporal notices in seconds that a
// worker is gone, and a cancel arrives here as fast.
import { Context } from '@temporalio/activity'
import { ApplicationFailure, type ApplicationFailureOptions, CancelledFailure } from '@temporalio/common'
import { isAway } from '../../services/errors.ts'
import { RunEnded } from '../run-control.ts'
import { failureTypes } from './names.ts'

/** Milliseconds; a cancel takes as long to arrive, and Temporal's throttle. */
const heartbeatInterval = 700
/** Work without a sign of life for longer counts as stuck, in milliseconds: the slowest crawl delays are minutes. */
const stuckTimeout = 60 * 60_000

export interface Heartbeat {
  /** Aborts when Temporal cancels the activity, when the worker ends, or by `stop`. */
  signal: AbortSignal
  /** From 1; more where an attempt before failed, was handed over, or ended with its worker. */
  attempt: number
  /** The work is alive. */
  beat(): void
  /** Calls `look` with every beat; its result is shown with the pending activity. */
  onBeat(look: () => Promise<unknown>): void
  stop(reason: unknown): void
}

export type WithHeartbeat = <Result>(work: (heartbeat: Heartbeat) => Promise<Result>) => Promise<Result>

/** Does the work of an activity with a heartbeat. Rejects with what Temporal is to do about an error; a fault is reported. */
export function createHeartbeat(report: (error: unknown) => void): WithHeartbeat {
  return async (work) => {
    const context = Context.current()
    const stopping = new AbortController()
    const stop = (reason: unknown) => stopping.abort(reason)
    let aliveAt = performance.now()
    let details: unknown
    let look = async () => details
    const cancelled = () =>
      stop(context.cancellationDetails?.workerShutdown ? handedOver() : context.cancellationSignal.reason)
    context.cancellationSignal.addEventListener('abort', cancelled)
    if (context.cancellationSignal.aborted) cancelled()
    context.heartbeat()
    const timer = setInterval(async () => {
      if (performance.now() - aliveAt < stuckTimeout) context.heartbeat(details)
      // The backend may be unavailable for a moment; if it stays so, the writes of the work fail.
      details = await look().catch(() => details)
    }, heartbeatInterval)
    try {
      return await work({
        ...{ signal: stopping.signal, attempt: context.info.attempt, stop },
        beat() {
          aliveAt = performance.now()
        },
        onBeat(next) {
          look = next
        },
      })
    } catch (error) {
      throw toFailure(stopping.signal.aborted ? stopping.signal.reason : error, report)
    } finally {
      clearInterval(timer)
      context.cancellationSignal.removeEventListener('abort', cancelled)
    }
  }
}

/** What an activity's error means to Temporal: an unavailable backend is waited for, a fault of our own ends the work. */
function toFailure(error: unknown, report: (error: unknown) => void): Error {
  if (error instanceof CancelledFailure || error instanceof ApplicationFailure) return error
  if (error instanceof RunEnded) {
    return createFailure({ type: failureTypes.runEnded, message: 'The run has ended.', nonRetryable: true })
  }
  if (isAway(error)) return createFailure({ type: failureTypes.away, message: error.message })
  report(error)
  const message = 'An internal error; the log has it.'
  return createFailure({ type: failureTypes.fault, message, nonRetryable: true })
}

/** Another worker does it, or a newer attempt on this one: at once, however often it was tried before. */
export function handedOver(): ApplicationFailure {
  const message = 'The worker ends, or another attempt has begun.'
  return createFailure({ type: failureTypes.handedOver, message, nextRetryDelay: '1s' })
}

/** A failure is kept in histories that operators read: a sentence only, no driver's message, path or stack. */
function createFailure(options: ApplicationFailureOptions): ApplicationFailure {
  const failure = ApplicationFailure.create(options)
  delete failure.stack
  return failure
}
