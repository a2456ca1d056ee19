// Fixed windows of one minute, in the memory of each process, and the limit on guessing keys. After 30 different wrong keys from
// a network in a minute, its keys are rejected unchecked until the minute ends. Keys that were valid from that network before
// still work.
import { LRUCache } from 'lru-cache'

const windowMs = 60_000
/** Maximum windows in memory. */
const maxWindows = 10_000

/** `now`: milliseconds. */
export function createWindows(now: () => number) {
  const windows = new LRUCache<string, { count: number; endsAt: number }>({ max: maxWindows })

  /** Returns the key's count without counting, and the seconds until its window ends; 0: it has ended. */
  function look(key: string) {
    const { count, endsAt } = windows.peek(key) ?? { count: 0, endsAt: 0 }
    const seconds = Math.max(0, Math.ceil((endsAt - now()) / 1000))
    return { count: seconds > 0 ? count : 0, seconds }
  }

  return {
    look,
    /** Increments the key's count. The first hit starts the window. */
    hit(key: string) {
      const { count, seconds } = look(key)
      const endsAt = seconds > 0 ? windows.peek(key)!.endsAt : now() + windowMs
      windows.set(key, { count: count + 1, endsAt })
      return look(key)
    },
  }
}

const maxWrong = 30
/** Maximum valid keys in memory. */
const maxRight = 10_000

/** Keys are identified by their hashes. `now`: milliseconds. */
export function createKeyGuesses(now: () => number) {
  const wrong = createWindows(now)
  const seen = createWindows(now)
  const right = new LRUCache<string, true>({ max: maxRight })

  return {
    /** Seconds for which the key is rejected unchecked; 0: it is checked. */
    secondsShut(network: string, key: string): number {
      if (right.has(`${network} ${key}`)) return 0
      const { count, seconds } = wrong.look(network)
      return count >= maxWrong ? seconds : 0
    },
    /** Counts a wrong key, once per minute. */
    wrong(network: string, key: string): void {
      if (seen.hit(`${network} ${key}`).count === 1) wrong.hit(network)
    },
    right(network: string, key: string): void {
      right.set(`${network} ${key}`, true)
    },
  }
}
