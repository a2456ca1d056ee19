// So many at once, first come, first served.

export interface Turns {
  /** Does `work` when it is its turn. Rejects with the signal's reason when that aborts before. */
  take<Result>(work: () => Promise<Result>, signal: AbortSignal): Promise<Result>
}

export function createTurns(mostAtOnce: number): Turns {
  let free = mostAtOnce
  const waiting = new Set<() => void>()

  function come(signal: AbortSignal): Promise<void> {
    signal.throwIfAborted()
    if (free > 0) {
      free -= 1
      return Promise.resolve()
    }
    const { promise, resolve, reject } = Promise.withResolvers<void>()
    const begin = () => {
      signal.removeEventListener('abort', leave)
      resolve()
    }
    const leave = () => {
      waiting.delete(begin)
      reject(signal.reason)
    }
    signal.addEventListener('abort', leave, { once: true })
    waiting.add(begin)
    return promise
  }

  /** Hands the place on, or frees it. */
  function go() {
    const [next] = waiting
    if (next === undefined) {
      free += 1
      return
    }
    waiting.delete(next)
    next()
  }

  return {
    async take(work, signal) {
      await come(signal)
      try {
        return await work()
      } finally {
        go()
      }
    },
  }
}
