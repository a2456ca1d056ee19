// Turns under way: each runs to its stored end whether or not it is read, and ends early when its reader leaves or
// Lectern closes (decisions.md "Chat").
import { DomainError } from '../errors.ts'
import type { ChatStop } from '../store/chat.ts'
import { createQueue } from '../stream/queue.ts'
import type { TurnEvent } from './turn-events.ts'

export interface LiveTurn {
  push(event: TurnEvent): void
  /** Aborts when the turn has nobody to go on for. */
  signal: AbortSignal
}

export interface TurnResponse {
  event: TurnEvent
}

export interface LiveTurns {
  /**
   * Performs a turn and streams what it pushes, as the responses of its RPC. Reading throws what `perform` throws, after
   * the events. Left before the end, it aborts the turn and waits until that is stored. Throws DomainError unavailable
   * once closed.
   */
  run(perform: (turn: LiveTurn) => Promise<void>, signal: AbortSignal): AsyncIterable<TurnResponse>
  /** How a turn ends that was told to stop: its reader left, unless Lectern closes. */
  stopOf(signal: AbortSignal): ChatStop
  /** Ends all turns and waits until they are stored. */
  close(): Promise<void>
}

export function createLiveTurns(): LiveTurns {
  const closing = new AbortController()
  const live = new Set<Promise<void>>()

  return {
    run(perform, signal) {
      if (closing.signal.aborted) throw new DomainError('unavailable', 'Lectern is closing.')
      const left = new AbortController()
      const queue = createQueue<TurnResponse>()
      const all = AbortSignal.any([signal, left.signal, closing.signal])
      const task = perform({ push: (event) => queue.push({ event }), signal: all })
        .then(() => queue.end(), queue.end)
        .finally(() => live.delete(task))
      live.add(task)
      const { next } = queue.read()
      return {
        [Symbol.asyncIterator]: () => ({
          next,
          async return() {
            left.abort()
            await task
            return { done: true, value: undefined }
          },
        }),
      }
    },
    stopOf: (signal) => (signal.reason === closing.signal.reason ? 'interrupted' : 'disconnected'),
    async close() {
      closing.abort(new DomainError('unavailable', 'Lectern is closing.'))
      await Promise.all(live)
    },
  }
}
