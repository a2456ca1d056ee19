// A store whose process is killed at a chosen call, and stores that fail like an unavailable server or a bug.
import type { Store } from '../../services/store/store.ts'

export interface Doom {
  /** Method of the store: `frontier.settle`. */
  call: string
  /** Which of its calls, from 1. */
  nth: number
  /** Whether to kill after the call has taken effect. */
  after: boolean
}

/** Kills this process with SIGKILL. */
export function doomed(store: Store, { call, nth, after }: Doom): Store {
  const kill = () => process.kill(process.pid, 'SIGKILL')
  return interceptCalls(store, call, async (count, work) => {
    if (count === nth && !after) kill()
    const result = await work()
    if (count === nth && after) kill()
    return result
  })
}

/** Calls of `call` throw the result of `error` until it is null. */
export function failing(store: Store, call: string, error: (count: number) => Error | null): Store {
  return interceptCalls(store, call, (count, work) => {
    const failure = error(count)
    if (failure !== null) throw failure
    return work()
  })
}

/** `count` from 1. */
function interceptCalls(
  store: Store,
  call: string,
  around: (count: number, work: () => Promise<unknown>) => Promise<unknown>,
): Store {
  const [part, method] = call.split('.') as [keyof Store, string]
  const methods = store[part] as unknown as Record<string, (...args: unknown[]) => Promise<unknown>>
  if (typeof methods[method] !== 'function') throw new Error(`the store has no ${call}`)
  let count = 0
  const intercepted = {
    ...methods,
    [method]: async (...args: unknown[]) => {
      count += 1
      return around(count, () => methods[method]!(...args))
    },
  }
  return { ...store, [part]: intercepted }
}
