// So many at once. Those who wait are grouped by share: a free turn goes to the share that has the fewest under way, so that
// none holds up another for long; within a share it is first come, first served.

export interface Turns {
  /** Does `work` when it is its turn. Rejects with the signal's reason when that aborts before. */
  take<Result>(share: string, work: () => Promise<Result>, signal: AbortSignal): Promise<Result>
}

interface Share {
  underWay: number
  waiting: Set<() => void>
}

export function createTurns(maxAtOnce: number): Turns {
  let free = maxAtOnce
  /** Those that have work, the one that was served last at the end. */
  const shares = new Map<string, Share>()

  function shareOf(name: string): Share {
    const share = shares.get(name) ?? { underWay: 0, waiting: new Set() }
    shares.set(name, share)
    return share
  }

  function come(name: string, signal: AbortSignal): Promise<void> {
    signal.throwIfAborted()
    const share = shareOf(name)
    const { promise, resolve, reject } = Promise.withResolvers<void>()
    const begin = () => {
      signal.removeEventListener('abort', leave)
      resolve()
    }
    const leave = () => {
      share.waiting.delete(begin)
      reject(signal.reason)
    }
    signal.addEventListener('abort', leave, { once: true })
    share.waiting.add(begin)
    serve()
    return promise
  }

  /** Gives free turns away. */
  function serve() {
    while (free > 0) {
      let next: [string, Share] | null = null
      for (const [name, share] of shares) {
        if (share.waiting.size > 0 && share.underWay < (next?.[1].underWay ?? Number.POSITIVE_INFINITY))
          next = [name, share]
      }
      if (next === null) return
      const [name, share] = next
      const [begin] = share.waiting as Set<() => void>
      share.waiting.delete(begin!)
      share.underWay += 1
      free -= 1
      shares.delete(name)
      shares.set(name, share)
      begin!()
    }
  }

  function go(name: string) {
    const share = shareOf(name)
    share.underWay -= 1
    free += 1
    if (share.underWay === 0 && share.waiting.size === 0) shares.delete(name)
    serve()
  }

  return {
    async take(share, work, signal) {
      await come(share, signal)
      try {
        signal.throwIfAborted()
        return await work()
      } finally {
        go(share)
      }
    },
  }
}
