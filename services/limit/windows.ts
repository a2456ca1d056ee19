// Fixed windows of one minute, kept in memory by each process for itself, and the limit on guesses of keys. After 30 different
// wrong keys from a network within a minute, its keys are not checked until the minute has passed, right or wrong. Keys that
// were right from there before still work.
import { LRUCache } from 'lru-cache'

export interface Window {
  /** What was counted in it. */
  count: number
  /** Seconds until it ends; 0: it has. */
  seconds: number
}

export interface Windows {
  /** Counts one for the key, whose window begins with its first. */
  hit(key: string): Window
  /** State of the key's window. */
  look(key: string): Window
}

const windowMs = 60_000
/** Windows kept at once. */
const maxWindows = 10_000

/** `now`: milliseconds. */
export function createWindows(now: () => number): Windows {
  const windows = new LRUCache<string, { count: number; endsAt: number }>({ max: maxWindows })

  function look(key: string): Window {
    const { count, endsAt } = windows.peek(key) ?? { count: 0, endsAt: 0 }
    const seconds = Math.max(0, Math.ceil((endsAt - now()) / 1000))
    return { count: seconds > 0 ? count : 0, seconds }
  }

  return {
    look,
    hit(key) {
      const { count, seconds } = look(key)
      const endsAt = seconds > 0 ? windows.peek(key)!.endsAt : now() + windowMs
      windows.set(key, { count: count + 1, endsAt })
      return look(key)
    },
  }
}

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
