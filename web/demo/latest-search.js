// A slow answer never overwrites a newer one: each question aborts the one before, and an answer that comes all the
// same is dropped.

/**
 * Wraps `run(question, signal)`. The wrapped function settles as `run` does, or with null when a newer question was
 * asked meanwhile, whatever became of the older one.
 */
export function createLatest(run) {
  let current = null

  return async function ask(question) {
    current?.abort()
    const mine = new AbortController()
    current = mine
    try {
      const answer = await run(question, mine.signal)
      return current === mine ? answer : null
    } catch (failure) {
      if (current !== mine) return null
      throw failure
    }
  }
}
