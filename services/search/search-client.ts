// Client of the search thread.
import type { Backends, EmbeddingsConfig } from '../config.ts'
import type { EmbeddingProgress } from '../embedding/embedding.ts'
import { backendAway } from '../errors.ts'
import type { EmbedCall } from '../model/local/embed-call.ts'
import { createSemaphore, requestLimits } from '../semaphore.ts'
import { threadKinds } from '../thread/kinds.ts'
import { createThread } from '../thread/thread.ts'
import type { PageSection } from './page-sections.ts'
import type { FoundPassages, PassageRequest } from './passage.ts'
import type { SearchAnswer, SearchQuery } from './search.ts'

/** Totals of all projects. */
export interface IndexTotals {
  sections: number
  /** Sections in supported languages, with and without a vector; null if embeddings are off. */
  embedding: { done: number; waiting: number } | null
}

/** Functions of the thread. A type rather than an interface, as `createThread` requires. */
export type SearchApi = {
  search(request: SearchQuery): Promise<SearchAnswer>
  passages(request: PassageRequest): Promise<FoundPassages>
  /** Embedding progress of a project; null if embeddings are off. */
  progress(project: string): Promise<EmbeddingProgress | null>
  /** Sections of the pages, in the order of `uuids`: see page-sections.ts. */
  pageSections(project: string, uuids: string[]): Promise<PageSection[][]>
  /** Some of the pages that link to the address: see page-sections.ts. */
  linkedFrom(project: string, url: string): Promise<string[]>
  totals(): Promise<IndexTotals>
  /** Resolves if the thread's index responds. */
  ping(): Promise<void>
  /** As `detectLanguages` of services/index/detected-language.ts. */
  languages(texts: string[], among: readonly string[]): Promise<(string | null)[]>
  close(): Promise<void>
}

export interface SearchThreadSettings {
  backends: Backends
  /** Null: search by words only. */
  embeddings: EmbeddingsConfig | null
}

/** Client side of SearchApi. */
export interface SearchClient extends SearchApi {
  /** Cancels the search if `signal` aborts before it begins. */
  search(request: SearchQuery, signal?: AbortSignal): Promise<SearchAnswer>
  /** Starts the thread and waits until it responds. Until then, calls reject with DomainError(unavailable). */
  open(): Promise<void>
}

interface SearchClientOptions {
  /** Calls the local model. */
  embed?: EmbedCall
  entry?: URL
  settleTime?: number
  cpuLimit?: number
}

/** The thread cannot cancel calls, so it gets a few at a time, and fewer per project, so that other projects do not wait long. */
const limits = { ...requestLimits, max: 32, maxOfGroup: 8 }

/**
 * Calls reject with DomainError(unavailable) if the thread dies, until the new one responds, and if a project has too many
 * waiting calls.
 */
export function createSearchClient(
  settings: SearchThreadSettings,
  report: (error: unknown) => void,
  {
    embed,
    entry = new URL('./search-thread.ts', import.meta.url),
    cpuLimit = threadKinds.search.cpuLimit,
    settleTime,
  }: SearchClientOptions = {},
): SearchClient {
  const thread = createThread<SearchApi>({
    ...threadKinds.search,
    ...{ entry, cpuLimit, settleTime, report, workerData: settings },
    ...(embed && { serves: { embed } }),
  })
  let isOpen = false
  // Separate, because questions may wait for vectors and searches should not.
  const [searches, questions] = [createSemaphore(limits), createSemaphore(limits)]

  function opened(): SearchApi {
    if (!isOpen) throw backendAway('index', null)
    return thread.api
  }

  /** Calls the thread, with a limit of concurrent calls per project. */
  async function ask<Answer>(project: string, call: (api: SearchApi) => Promise<Answer>): Promise<Answer> {
    const api = opened()
    return questions.run(project, () => call(api))
  }

  return {
    async open() {
      await thread.start()
      isOpen = true
    },
    async search(request, signal) {
      const api = opened()
      return searches.run(request.project, () => api.search(request), signal)
    },
    passages: (request) => ask(request.project, (api) => api.passages(request)),
    pageSections: (project, uuids) => ask(project, (api) => api.pageSections(project, uuids)),
    linkedFrom: (project, url) => ask(project, (api) => api.linkedFrom(project, url)),
    progress: async (project) => (isOpen ? thread.api.progress(project).catch(() => null) : null),
    totals: async () => opened().totals(),
    ping: async () => opened().ping(),
    languages: async (texts, among) => opened().languages(texts, among),
    close: thread.close,
  }
}
