// The search thread from its callers' side: one that died is started again.
import { openThread, type Thread } from '../thread/thread.ts'
import type { PassageRequest, Passages } from './passage.ts'
import type { SearchAnswer, SearchRequest } from './search.ts'

/** What the thread serves. A type, so that it fits what a thread may serve. */
export type SearchApi = {
  search(request: SearchRequest): Promise<SearchAnswer>
  passages(request: PassageRequest): Promise<Passages>
  /** Resolves when the thread's index answers. */
  ping(): Promise<void>
  close(): Promise<void>
}

export interface SearchThreadSettings {
  /** Absolute path of the data folder. */
  data: string
}

const usualEntry = new URL('../main/search-thread.ts', import.meta.url)

/**
 * Starts the thread of `entry` with the settings and waits until it answers. A call under way when the thread dies
 * rejects with DomainError(unavailable); the next one goes to a new thread.
 */
export async function openSearchThread(settings: SearchThreadSettings, entry = usualEntry) {
  let closed = false
  let thread: Promise<Thread<SearchApi>> = start()
  await thread

  async function start(): Promise<Thread<SearchApi>> {
    const started = await openThread<SearchApi>(entry, settings)
    started.ended.then(() => {
      if (closed) return
      thread = start()
      // Met by the next call.
      thread.catch(() => {})
    })
    return started
  }

  return {
    async search(request: SearchRequest): Promise<SearchAnswer> {
      return (await thread).api.search(request)
    },
    async passages(request: PassageRequest): Promise<Passages> {
      return (await thread).api.passages(request)
    },
    async ping(): Promise<void> {
      await (await thread).api.ping()
    },
    async close() {
      closed = true
      const last = await thread
      await last.api.close()
      await last.terminate()
    },
  }
}
