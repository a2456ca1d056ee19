// Requests on their way to what works them off one after the other, such as the search thread, which cannot drop what it was
// sent. It gets a few at a time, fairly among projects; the rest waits here, where one is dropped when its caller leaves.
import { DomainError } from '../errors.ts'

/** Of all projects, and of one, so that another project's request need not wait long. */
interface QueueLimits {
  maxRunning: number
  maxRunningOfProject: number
  maxWaitingOfProject: number
}

const searches: QueueLimits = { maxRunning: 32, maxRunningOfProject: 8, maxWaitingOfProject: 100 }

interface Line {
  running: number
  waiting: Set<PromiseWithResolvers<void>>
}

export interface SearchQueue {
  /**
   * Waits for a place; answers what gives it back when the request has been worked off. Rejects as unavailable when too many
   * wait, and when `signal` aborts before.
   */
  enter(project: string, signal?: AbortSignal | undefined): Promise<() => void>
}

export function createSearchQueue({
  maxRunning,
  maxRunningOfProject,
  maxWaitingOfProject,
}: QueueLimits = searches): SearchQueue {
  /** By project: the one that is served next comes first. */
  const lines = new Map<string, Line>()
  let running = 0

  function startNext() {
    for (const [project, line] of lines) {
      const [next] = line.waiting
      if (next === undefined && line.running === 0) lines.delete(project)
      if (next === undefined || line.running === maxRunningOfProject || running === maxRunning) continue
      line.waiting.delete(next)
      line.running += 1
      running += 1
      lines.delete(project)
      lines.set(project, line)
      next.resolve()
    }
  }

  async function waitForPlace(line: Line, signal: AbortSignal | undefined) {
    const place = Promise.withResolvers<void>()
    const leave = () => {
      if (!line.waiting.delete(place)) return
      place.reject(unavailable('It was given up before it began.'))
      startNext()
    }
    line.waiting.add(place)
    signal?.addEventListener('abort', leave, { once: true })
    if (signal?.aborted) leave()
    else startNext()
    await place.promise.finally(() => signal?.removeEventListener('abort', leave))
  }

  return {
    async enter(project, signal) {
      const line = lines.get(project) ?? { running: 0, waiting: new Set() }
      if (line.waiting.size >= maxWaitingOfProject) {
        throw unavailable('Too many requests for this project are waiting; try again.')
      }
      lines.set(project, line)
      await waitForPlace(line, signal)
      return () => {
        line.running -= 1
        running -= 1
        startNext()
      }
    },
  }
}

function unavailable(sentence: string): DomainError {
  return new DomainError('unavailable', sentence, null, undefined, 1)
}
