// Fixed windows of one minute kept in memory: for what must cost next to nothing to count, each process for itself.
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
  /** How the key's window stands. */
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
