// Turns in progress. Every turn ends with a stored answer, even if nobody reads it. It ends early if its reader disconnects or
// Lectern shuts down.
import { DomainError, rateLimited } from '../errors.ts'
import type { ChatStop } from '../store/chat.ts'
import { createQueue } from '../stream.ts'
import type { TurnEvent } from './turn-events.ts'

export interface LiveTurn {
  push(event: TurnEvent): void
  /** Aborts when the reader disconnects or Lectern shuts down. */
  signal: AbortSignal
}

interface TurnOwner {
  project: string
  /** The caller's network. Null if the caller has a key with permission to chat. */
  network: string | null
}

export type LiveTurns = ReturnType<typeof createLiveTurns>

const maxOfProject = 20
const maxOfProcess = 200
/** Maximum turns of one network without a key, in all projects. */
const maxOfNetwork = 8
/** Share of the first two limits available to callers without a key. The rest is reserved for callers with one. */
const shareWithoutKey = 0.8
/** Retry-After when a limit is reached: when a turn will end is unknown. */
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
     * Performs a turn and streams its events as the responses of the RPC. Rethrows what `perform` throws after the last
     * event. Returning early aborts the turn and waits until it is stored. Throws DomainError rate_limited if a limit is
     * reached, and unavailable after `close`.
     */
    run(
      owner: TurnOwner,
      perform: (turn: LiveTurn) => Promise<void>,
      signal: AbortSignal,
    ): AsyncIterable<{ event: TurnEvent }> {
      if (closing.signal.aborted) throw new DomainError('unavailable', 'Lectern is closing.')
      refuseTooMany(owner)
      const disconnect = new AbortController()
      const queue = createQueue<{ event: TurnEvent }>()
      const all = AbortSignal.any([signal, disconnect.signal, closing.signal])
      const task = perform({ push: (event) => queue.push({ event }), signal: all })
        .then(() => queue.end(), queue.end)
        .finally(() => live.delete(task))
      live.set(task, owner)
      const { next } = queue.read()
      return {
        [Symbol.asyncIterator]: () => ({
          next,
          async return() {
            disconnect.abort()
            await task
            return { done: true, value: undefined }
          },
        }),
      }
    },
    load: () => ({ live: live.size, max: maxOfProcess }),
    /** Returns why a turn was aborted. */
    stopOf: (signal: AbortSignal): ChatStop =>
      signal.reason === closing.signal.reason ? 'interrupted' : 'disconnected',
    /** Ends all turns and waits until they are stored. */
    async close() {
      closing.abort(new DomainError('unavailable', 'Lectern is closing.'))
      await Promise.all(live.keys())
    },
  }
}
