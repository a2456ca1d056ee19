// The next times of a five-field cron line. Lectern reads it with the same library.
import { Cron } from 'croner'

/** Null if the line is not valid. */
export function findNextTimes(line: string, count = 3): Date[] | null {
  if (line.trim().split(/\s+/).length !== 5) return null
  try {
    return new Cron(line, { paused: true, timezone: 'UTC' }).nextRuns(count)
  } catch {
    return null
  }
}
