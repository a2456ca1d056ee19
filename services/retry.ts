// Retries failed work with backoff, and changes that conflict with another writer.
import { setTimeout as delay } from 'node:timers/promises'
import { DomainError, isAway } from './errors.ts'

export interface RetryOptions {
  /** Called with the error before each retry. Throws to stop retrying. */
  onFailure?(error: unknown): void
  signal?: AbortSignal
  pause?(milliseconds: number, signal: AbortSignal): Promise<unknown>
}

/**
 * Runs `work` until it succeeds, with `pauses` (milliseconds) between attempts. Rejects with the last error if no pauses are
 * left, and with the signal's reason if it aborts.
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

/** Infinite exponential backoff: `doubling(100, 500)` → 100, 200, 400, 500, 500, … */
export function* doubling(first: number, max: number): Generator<number> {
  for (let pause = first; ; pause *= 2) yield Math.min(pause, max)
}

/** Opens a store or an index, and waits until its server is available. Rejects with any other error. */
export function openPatiently<Opened>(
  open: () => Promise<Opened>,
  // A referenced timer: a thread without other work would exit during an unreferenced one.
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
 * Repeats `change` while it returns null because of a concurrent change of `what`. Throws DomainError changed_meanwhile after
 * five attempts.
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
