// Turns under way: each runs to its stored end whether or not it is read, and ends early when its reader leaves or
// Lectern closes.
import { DomainError, rateLimited } from '../errors.ts'
import type { ChatStop } from '../store/chat.ts'
import { createQueue } from '../stream.ts'
import type { TurnEvent } from './turn-events.ts'

export interface LiveTurn {
  push(event: TurnEvent): void
  /** Aborts when nobody waits for the turn any more. */
  signal: AbortSignal
}

interface TurnOwner {
  project: string
  /** The caller's network; null for one with a key that may chat with the project. */
  network: string | null
}

export type LiveTurns = ReturnType<typeof createLiveTurns>

/** Turns under way at once. */
const maxOfProject = 20
const maxOfProcess = 200
/** Those of one network without a key, in all projects. */
const maxOfNetwork = 8
/** What callers without a key may have of the first two: they leave room for those who have one. */
const shareWithoutKey = 0.8
/** Told to who must wait for a turn of others to end, which nobody can foretell. */
const retrySeconds = 5

export function createLiveTurns() {
  const closing = new AbortController()
  const live = new Map<Promise<void>, TurnOwner>()

  function refuseTooMany({ project, network }: TurnOwner): void {
    const all = [...live.values()]
    const refuse = (where: string) => {
      throw rateLimited(`Too many answers are being written${where}.`, retrySeconds)
    }
    const isFull = (turns: TurnOwner[], max: number) => {
      const withoutKey = turns.filter((turn) => turn.network !== null).length
      return turns.length >= max || (network !== null && withoutKey >= max * shareWithoutKey)
    }
    const ofNetwork = all.filter((other) => network !== null && other.network === network)
    if (ofNetwork.length >= maxOfNetwork) refuse(' for this address')
    const ofProject = all.filter((other) => other.project === project)
    if (isFull(ofProject, maxOfProject)) refuse(' in this project')
    if (isFull(all, maxOfProcess)) refuse('')
  }

  return {
    /**
     * Performs a turn and streams what it pushes, as the responses of its RPC. Reading throws what `perform` throws, after
     * the events. Left before the end, it aborts the turn and waits until that is stored. Throws DomainError rate_limited
     * while too many are under way, and unavailable once closed.
     */
    run(
      owner: TurnOwner,
      perform: (turn: LiveTurn) => Promise<void>,
      signal: AbortSignal,
    ): AsyncIterable<{ event: TurnEvent }> {
      if (closing.signal.aborted) throw new DomainError('unavailable', 'Lectern is closing.')
      refuseTooMany(owner)
      const left = new AbortController()
      const queue = createQueue<{ event: TurnEvent }>()
      const all = AbortSignal.any([signal, left.signal, closing.signal])
      const task = perform({ push: (event) => queue.push({ event }), signal: all })
        .then(() => queue.end(), queue.end)
        .finally(() => live.delete(task))
      live.set(task, owner)
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
    load: () => ({ live: live.size, max: maxOfProcess }),
    /** The end of an aborted turn: its reader left, or Lectern is closing. */
    stopOf: (signal: AbortSignal): ChatStop =>
      signal.reason === closing.signal.reason ? 'interrupted' : 'disconnected',
    /** Ends all turns and waits until they are stored. */
    async close() {
      closing.abort(new DomainError('unavailable', 'Lectern is closing.'))
      await Promise.all(live.keys())
    },
  }
}
