// Work that clears what is of no more use, in the background: begun without anyone waiting for it, and stopped with the
// process.
import { othersTurn } from './turns.ts'

export interface Clearing {
  /** Clears all that is there now; other work comes in between. */
  clear(): Promise<void>
  /** Clears later, without anyone waiting for it. */
  clearSoon(): void
  /** Stops clearing; the next process goes on with it. */
  stop(): void
}

/** `work` asks before each of its steps whether it is stopped. */
export const createClearing = (work: (isStopped: () => boolean) => Promise<void>): Clearing => {
  let stopped = false
  const clear = () => work(() => stopped)
  return {
    clear,
    clearSoon: () => {
      // A failure leaves the rest where it is: the next clearing, or the next start, takes it up.
      othersTurn()
        .then(clear)
        .catch(() => {})
    },
    stop: () => {
      stopped = true
    },
  }
}
