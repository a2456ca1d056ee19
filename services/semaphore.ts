// A semaphore that is fair between groups, such as projects: a free slot goes to the group with the fewest slots, among equals to
// the one served longest ago. Within a group, first come, first served.
import { DomainError, rateLimited } from './errors.ts'

interface SemaphoreOptions {
  max: number
  maxOfGroup?: number
  /** Further calls of the group reject with DomainError(unavailable). */
  maxWaitingOfGroup?: number
  /** Error of a call that is aborted while it waits. Default: the signal's reason. */
  abortError?: (signal: AbortSignal) => unknown
}

export type Semaphore = ReturnType<typeof createSemaphore>

/** Options for requests, with projects as groups. */
export const requestLimits = {
  maxWaitingOfGroup: 100,
  abortError: () => unavailable('The caller left before it began.'),
}

interface SlotGroup {
  running: number
  waiting: Set<() => void>
}

export function createSemaphore({
  max,
  maxOfGroup = max,
  maxWaitingOfGroup = Number.POSITIVE_INFINITY,
  abortError = (signal) => signal.reason,
}: SemaphoreOptions) {
  let free = max
  /** Active groups, the last served at the end. */
  const groups = new Map<string, SlotGroup>()

  function throwIfAborted(signal: AbortSignal | undefined) {
    if (signal?.aborted) throw abortError(signal)
  }

  function dropIfIdle(name: string, { running, waiting }: SlotGroup) {
    if (running === 0 && waiting.size === 0) groups.delete(name)
  }

  function acquire(name: string, signal: AbortSignal | undefined): Promise<SlotGroup> {
    const group = groups.get(name) ?? { running: 0, waiting: new Set() }
    if (group.waiting.size >= maxWaitingOfGroup) {
      throw unavailable('Too many requests for this project are waiting; try again.')
    }
    throwIfAborted(signal)
    const { promise, resolve, reject } = Promise.withResolvers<SlotGroup>()
    const begin = () => {
      signal?.removeEventListener('abort', leave)
      resolve(group)
    }
    const leave = () => {
      group.waiting.delete(begin)
      dropIfIdle(name, group)
      reject(abortError(signal!))
    }
    signal?.addEventListener('abort', leave, { once: true })
    group.waiting.add(begin)
    groups.set(name, group)
    serve()
    return promise
  }

  /** Assigns free slots. */
  function serve() {
    while (free > 0) {
      let next: [string, SlotGroup] | null = null
      for (const [name, group] of groups) {
        if (group.waiting.size > 0 && group.running < (next?.[1].running ?? maxOfGroup)) next = [name, group]
      }
      if (next === null) return
      const [name, group] = next
      const [begin] = group.waiting
      group.waiting.delete(begin!)
      group.running += 1
      free -= 1
      groups.delete(name)
      groups.set(name, group)
      begin!()
    }
  }

  return {
    /** Runs `work` once the group gets a slot. Rejects if the signal aborts before. */
    async run<Result>(
      name: string,
      work: () => Promise<Result>,
      signal?: AbortSignal | undefined,
    ): Promise<Result> {
      const group = await acquire(name, signal)
      try {
        throwIfAborted(signal)
        return await work()
      } finally {
        group.running -= 1
        free += 1
        dropIfIdle(name, group)
        serve()
      }
    },
  }
}

function unavailable(sentence: string): DomainError {
  return new DomainError('unavailable', sentence, null, undefined, 1)
}

const retryAfterSeconds = 10

/** Returns a function that takes a slot and returns its release. It throws DomainError rate_limited with `sentence` if none is free. */
export function createTurnstile(max: { all: number; team: number }, sentence: string) {
  const byTeam = new Map<string, number>()
  let all = 0
  return (team: string): (() => void) => {
    const count = byTeam.get(team) ?? 0
    if (all >= max.all || count >= max.team) throw rateLimited(sentence, retryAfterSeconds)
    byTeam.set(team, count + 1)
    all++
    return () => {
      const remaining = byTeam.get(team)! - 1
      if (remaining === 0) byTeam.delete(team)
      else byTeam.set(team, remaining)
      all--
    }
  }
}
