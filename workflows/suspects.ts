// Work that is resumed after its thread or worker has died may be what ended it. It begins one after the other, so that what
// ends the thread again takes nobody along, and is alone to blame.
import pTimeout from 'p-timeout'

export interface Suspect {
  /** It has made progress or ended, or no thread has died of it: the next one may begin. */
  clear(): void
}

export interface SuspectQueue {
  /**
   * Resolves when the one that entered before is cleared, and when `signal` aborts. One that is merely slow is waited for no
   * longer than the queue's timeout; then its `acquit` is called, for what ends the thread after that may be another.
   */
  enter(acquit: () => Promise<void>, signal: AbortSignal): Promise<Suspect>
}

/** `timeout`: in milliseconds. */
export function createSuspectQueue(timeout = 60_000): SuspectQueue {
  let last = { cleared: Promise.resolve(), acquit: async () => {} }

  async function waitFor({ cleared, acquit }: typeof last, signal: AbortSignal) {
    try {
      await pTimeout(cleared, { milliseconds: timeout, fallback: acquit, signal })
    } catch (error) {
      if (!signal.aborted) throw error
    }
  }

  return {
    async enter(acquit, signal) {
      const before = last
      const { promise: cleared, resolve: clear } = Promise.withResolvers<void>()
      last = { cleared, acquit }
      await waitFor(before, signal)
      return { clear }
    },
  }
}

/** For work that nothing has died of. */
export const notSuspect: Suspect = { clear() {} }
