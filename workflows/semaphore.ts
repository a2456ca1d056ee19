// A semaphore that is fair between groups: a free slot goes to the group with the fewest slots, so that none holds up another
// for long; within a group it is first come, first served.

export interface Semaphore {
  /** Does `work` when the group gets a slot. Rejects with the signal's reason when that aborts before. */
  run<Result>(group: string, work: () => Promise<Result>, signal: AbortSignal): Promise<Result>
}

interface Group {
  running: number
  waiting: Set<() => void>
}

export function createSemaphore(slots: number): Semaphore {
  let free = slots
  /** Those that have work, the one that was served last at the end. */
  const groups = new Map<string, Group>()

  function groupOf(name: string): Group {
    const group = groups.get(name) ?? { running: 0, waiting: new Set() }
    groups.set(name, group)
    return group
  }

  function acquire(name: string, signal: AbortSignal): Promise<void> {
    signal.throwIfAborted()
    const group = groupOf(name)
    const { promise, resolve, reject } = Promise.withResolvers<void>()
    const begin = () => {
      signal.removeEventListener('abort', leave)
      resolve()
    }
    const leave = () => {
      group.waiting.delete(begin)
      reject(signal.reason)
    }
    signal.addEventListener('abort', leave, { once: true })
    group.waiting.add(begin)
    serve()
    return promise
  }

  /** Gives free slots away. */
  function serve() {
    while (free > 0) {
      let next: [string, Group] | null = null
      for (const [name, group] of groups) {
        if (group.waiting.size > 0 && group.running < (next?.[1].running ?? Number.POSITIVE_INFINITY))
          next = [name, group]
      }
      if (next === null) return
      const [name, group] = next
      const [begin] = group.waiting as Set<() => void>
      group.waiting.delete(begin!)
      group.running += 1
      free -= 1
      groups.delete(name)
      groups.set(name, group)
      begin!()
    }
  }

  function release(name: string) {
    const group = groupOf(name)
    group.running -= 1
    free += 1
    if (group.running === 0 && group.waiting.size === 0) groups.delete(name)
    serve()
  }

  return {
    async run(group, work, signal) {
      await acquire(group, signal)
      try {
        signal.throwIfAborted()
        return await work()
      } finally {
        release(group)
      }
    },
  }
}
