// Telling a Conflict of the store from other errors.
import { Conflict } from '../errors.ts'

/** Whether `error` says that a unique value is taken; of the given field, if one is named. */
export function isConflict(error: unknown, field?: string): error is Conflict {
  return error instanceof Conflict && (field === undefined || error.field === field)
}
