// Fixed windows of one minute kept in memory: for what must cost next to nothing to count, each process for itself.

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
/** Windows kept at once; the oldest goes first. */
const maxWindows = 10_000

/** `now`: milliseconds. */
export function createWindows(now: () => number): Windows {
  const windows = new Map<string, { count: number; endsAt: number }>()

  function begin(key: string) {
    windows.delete(key)
    if (windows.size >= maxWindows) windows.delete(windows.keys().next().value!)
    const window = { count: 0, endsAt: now() + windowMs }
    windows.set(key, window)
    return window
  }

  function look(key: string): Window {
    const { count, endsAt } = windows.get(key) ?? { count: 0, endsAt: 0 }
    const seconds = Math.max(0, Math.ceil((endsAt - now()) / 1000))
    return { count: seconds > 0 ? count : 0, seconds }
  }

  return {
    look,
    hit(key) {
      const window = look(key).seconds > 0 ? windows.get(key)! : begin(key)
      window.count += 1
      return look(key)
    },
  }
}
