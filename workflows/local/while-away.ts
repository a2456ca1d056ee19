// Work that waits for a backend that is away, as Temporal would have it done again: store and index may be servers in the
// role `all` too.
import { setTimeout as delay } from 'node:timers/promises'
import { isAway } from '../../services/errors.ts'

/** Milliseconds to the next try; the last counts for all that follow. */
const pauses = [1_000, 2_000, 4_000, 8_000, 16_000, 30_000]
/** A backend that is away for longer, or work that brings one down each time, is given up: some 50 minutes. */
const maxTries = 100

/** Does `work` again until no backend is away. Rejects with any other error, with the last one, and when `signal` aborts. */
export async function whileAway<Result>(signal: AbortSignal, work: () => Promise<Result>): Promise<Result> {
  for (let tried = 0; ; tried++) {
    try {
      return await work()
    } catch (error) {
      if (!isAway(error) || tried === maxTries) throw error
    }
    await delay(pauses[tried] ?? pauses.at(-1), undefined, { signal })
  }
}
