// Slows down who guesses keys. After so many different wrong keys from a network within a minute, its keys are not looked
// at until the minute has passed, right or wrong: a guesser learns nothing. Keys that were right from there before go on.
import { LRUCache } from 'lru-cache'
import { createWindows } from '../limit/windows.ts'

interface KeyGuesses {
  /** Seconds for which the key is not looked at; 0: it is. */
  secondsShut(network: string, key: string): number
  /** The key was refused where one was needed. Within a minute one key counts once. */
  wrong(network: string, key: string): void
  right(network: string, key: string): void
}

const maxWrong = 30
/** Right keys remembered; the one that was not used for the longest time goes first. */
const maxRight = 10_000

/** Keys are named by their hash; `now`: milliseconds. */
export function createKeyGuesses(now: () => number): KeyGuesses {
  const wrong = createWindows(now)
  const seen = createWindows(now)
  const right = new LRUCache<string, true>({ max: maxRight })

  return {
    secondsShut(network, key) {
      if (right.has(`${network} ${key}`)) return 0
      const { count, seconds } = wrong.look(network)
      return count >= maxWrong ? seconds : 0
    },
    wrong(network, key) {
      if (seen.hit(`${network} ${key}`).count === 1) wrong.hit(network)
    },
    right(network, key) {
      right.set(`${network} ${key}`, true)
    },
  }
}
