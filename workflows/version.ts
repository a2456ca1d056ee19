// Version numbers of pages: unique and growing without a counter that two writers would have to share.

let last = 0

/**
 * Microseconds since 1970, never the same twice in a process; the last three digits are random, so that two processes
 * that publish one page in the same millisecond differ. Fits a double until 2255.
 */
export function newVersion(now: Date): number {
  last = Math.max(last + 1, firstVersionOf(now) + Math.floor(Math.random() * 1_000))
  return last
}

/** What no version made from then on is below, on a clock that agrees. */
export function firstVersionOf(time: Date): number {
  return time.getTime() * 1_000
}
