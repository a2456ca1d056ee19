// Trying again: what failed, ever later, and changes that another writer overtook.
import { setTimeout as delay } from 'node:timers/promises'
import { DomainError, isAway } from './errors.ts'

export interface RetryOptions {
  /** Told of each failure that another attempt follows; throws instead what is not to be tried again. */
  onFailure?(error: unknown): void
  signal?: AbortSignal
  pause?(milliseconds: number, signal: AbortSignal): Promise<unknown>
}

/**
 * Does `work` until it succeeds, with each of `pauses` (milliseconds) between two attempts. Rejects with the last failure
 * when there are no more, and with the signal's reason when it aborts.
 */
export async function retry<Result>(
  work: () => Promise<Result>,
  pauses: Iterable<number>,
  { onFailure, signal = new AbortController().signal, pause = rest }: RetryOptions = {},
): Promise<Result> {
  for (const milliseconds of pauses) {
    signal.throwIfAborted()
    try {
      return await work()
    } catch (error) {
      signal.throwIfAborted()
      onFailure?.(error)
    }
    await pause(milliseconds, signal)
  }
  return work()
}

/** Pauses without end, each twice as long as the one before: `doubling(100, 500)` → 100, 200, 400, 500, 500, … */
export function* doubling(first: number, max: number): Generator<number> {
  for (let pause = first; ; pause *= 2) yield Math.min(pause, max)
}

/** Opens what a server may keep waiting, for a thread that cannot begin without it. Rejects with any other error. */
export function openPatiently<Opened>(
  open: () => Promise<Opened>,
  // A thread that has nothing else yet would end amid a pause that does not keep it.
  pause: RetryOptions['pause'] = (milliseconds) => delay(milliseconds),
): Promise<Opened> {
  const onFailure = (error: unknown) => {
    if (!isAway(error)) throw error
  }
  return retry(open, doubling(250, 5_000), { pause, onFailure })
}

const rest = (milliseconds: number, signal: AbortSignal) =>
  delay(milliseconds, undefined, { signal, ref: false })

const maxChanges = 5

/**
 * Reads and changes `what` again while `change` answers null, because another writer changed it in between. Throws DomainError
 * changed_meanwhile after five tries.
 */
export async function retryChange<Result>(
  what: string,
  change: () => Promise<Result | null>,
): Promise<Result> {
  for (let tries = 0; tries < maxChanges; tries++) {
    const result = await change()
    if (result !== null) return result
  }
  throw changedMeanwhile(what)
}

export function changedMeanwhile(what: string): DomainError {
  return new DomainError('changed_meanwhile', `The ${what} was changed by somebody else; try again.`)
}
