// The search thread from its callers' side: one that died is started again.
import type { Backends, EmbeddingsConfig } from '../config.ts'
import type { EmbedCall } from '../model/local/embed-call.ts'
import { heartbeatTimeouts } from '../thread/heartbeat.ts'
import { openKeptThread } from '../thread/kept-thread.ts'
import type { FoundPassages, PassageRequest } from './passage.ts'
import type { SearchAnswer, SearchRequest } from './search.ts'
import { createSearchQueue } from './search-queue.ts'

/** What the thread serves. A type, so that it fits what a thread may serve. */
export type SearchApi = {
  search(request: SearchRequest): Promise<SearchAnswer>
  passages(request: PassageRequest): Promise<FoundPassages>
  /** Resolves when the thread's index answers. */
  ping(): Promise<void>
  close(): Promise<void>
}

export interface SearchThreadSettings {
  backends: Backends
  /** Null: search goes by words. */
  embeddings: EmbeddingsConfig | null
}

/** As SearchApi, from its callers' side. */
export interface SearchThread extends SearchApi {
  /** A search that waits for its turn is dropped when `signal` aborts. */
  search(request: SearchRequest, signal?: AbortSignal): Promise<SearchAnswer>
}

const defaultEntry = new URL('../main/search-thread.ts', import.meta.url)

export interface SearchThreadOptions {
  /** Gives vectors of the model of this process. */
  embed?: EmbedCall
  entry?: URL
  settleTime?: number
  heartbeatTimeout?: number
}

/**
 * Starts the thread of `entry` with the settings and waits until it answers. A call under way when the thread dies
 * rejects with DomainError(unavailable), and so do others until a new one answers, and those of a project that has too many.
 */
export async function openSearchThread(
  settings: SearchThreadSettings,
  report: (error: unknown) => void,
  {
    entry = defaultEntry,
    heartbeatTimeout = heartbeatTimeouts.search,
    embed,
    ...options
  }: SearchThreadOptions = {},
): Promise<SearchThread> {
  const thread = await openKeptThread<SearchApi>({
    ...options,
    entry,
    workerData: settings,
    heartbeatTimeout,
    report,
    ...(embed && { serves: { embed } }),
  })
  // Questions may wait for their vectors, which no search is to wait for.
  const [searches, questions] = [createSearchQueue(), createSearchQueue()]
  return {
    search: (request, signal) => searches.run(request.project, () => thread.api.search(request), signal),
    passages: (request) => questions.run(request.project, () => thread.api.passages(request)),
    ping: () => thread.api.ping(),
    close: () => thread.close((api) => api.close()),
  }
}
