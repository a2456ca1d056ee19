// What an activity's error means to Temporal: a backend that is away is waited for, a fault of our own ends the work.
import { ApplicationFailure, CancelledFailure } from '@temporalio/common'
import { type DomainError, isAway } from '../../services/errors.ts'
import { RunEnded } from '../run-control.ts'
import { failureTypes } from './names.ts'

/** A failure is kept in histories that operators read: a sentence only, no driver's message, path or stack. */
export function toFailure(error: unknown): Error {
  if (error instanceof CancelledFailure || error instanceof ApplicationFailure) return error
  const failure = ApplicationFailure.create(formOf(error))
  delete failure.stack
  return failure
}

function formOf(error: unknown) {
  if (error instanceof RunEnded) {
    return { type: failureTypes.runEnded, message: 'The run has ended.', nonRetryable: true }
  }
  if (isAway(error)) return { type: failureTypes.away, message: (error as DomainError).message }
  return { type: failureTypes.fault, message: 'An internal error; the log has it.', nonRetryable: true }
}

/** Another worker does it, or a newer attempt on this one: at once, however often it was tried before. */
export function handedOver(): ApplicationFailure {
  const failure = ApplicationFailure.create({
    type: failureTypes.handedOver,
    message: 'The worker ends, or another attempt has begun.',
    nextRetryDelay: '1s',
  })
  delete failure.stack
  return failure
}
