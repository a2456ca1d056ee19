// The search thread from its callers' side: one that died is started again.
import type { Backends, EmbeddingsConfig } from '../config.ts'
import { backendAway } from '../errors.ts'
import type { EmbedCall } from '../model/local/embed-call.ts'
import { heartbeatTimeouts } from '../thread/heartbeat.ts'
import { openSupervisedThread, type SupervisedThread } from '../thread/thread.ts'
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
export interface SearchClient extends SearchApi {
  /** A search that still waits is dropped when `signal` aborts. */
  search(request: SearchRequest, signal?: AbortSignal): Promise<SearchAnswer>
  /** Starts the thread and waits until it answers; until then searches are refused as unavailable. */
  open(): Promise<void>
}

const defaultEntry = new URL('./search-thread.ts', import.meta.url)

export interface SearchClientOptions {
  /** Gives vectors of the model of this process. */
  embed?: EmbedCall
  entry?: URL
  settleTime?: number
  heartbeatTimeout?: number
}

/**
 * The thread is that of `entry` with the settings. A call under way when it dies rejects with DomainError(unavailable), and so
 * do others until a new one answers, and those of a project that has too many.
 */
export function createSearchClient(
  settings: SearchThreadSettings,
  report: (error: unknown) => void,
  {
    entry = defaultEntry,
    heartbeatTimeout = heartbeatTimeouts.search,
    embed,
    ...options
  }: SearchClientOptions = {},
): SearchClient {
  let thread: SupervisedThread<SearchApi> | null = null
  // Questions may wait for their vectors, which no search is to wait for.
  const [searches, questions] = [createSearchQueue(), createSearchQueue()]

  function opened(): SearchApi {
    if (thread === null) throw backendAway('index', null)
    return thread.api
  }

  return {
    async open() {
      thread = await openSupervisedThread<SearchApi>({
        ...options,
        entry,
        workerData: settings,
        heartbeatTimeout,
        report,
        ...(embed && { serves: { embed } }),
      })
    },
    async search(request, signal) {
      const api = opened()
      const leave = await searches.enter(request.project, signal)
      return api.search(request).finally(leave)
    },
    async passages(request) {
      const api = opened()
      const leave = await questions.enter(request.project)
      return api.passages(request).finally(leave)
    },
    ping: async () => opened().ping(),
    close: async () => thread?.close((api) => api.close()),
  }
}
