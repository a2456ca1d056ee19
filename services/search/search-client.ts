// The search thread from its owner's side.
import type { Backends, EmbeddingsConfig } from '../config.ts'
import type { EmbeddingProgress } from '../embedding/embedding.ts'
import { backendAway } from '../errors.ts'
import type { EmbedCall } from '../model/local/embed-call.ts'
import { createSemaphore, requestLimits } from '../semaphore.ts'
import { threadKinds } from '../thread/kinds.ts'
import { createThread } from '../thread/thread.ts'
import type { PageSection } from './page-sections.ts'
import type { FoundPassages, PassageRequest } from './passage.ts'
import type { SearchAnswer, SearchRequest } from './search.ts'

/** Of all projects. */
export interface IndexTotals {
  sections: number
  /** Sections in languages that the embedding model knows, with a vector and without one; null where embeddings are off. */
  embedding: { done: number; waiting: number } | null
}

/** What the thread serves. A type, so that it fits what a thread may serve. */
export type SearchApi = {
  search(request: SearchRequest): Promise<SearchAnswer>
  passages(request: PassageRequest): Promise<FoundPassages>
  /** How far the project's units have vectors; null where embeddings are off. */
  progress(project: string): Promise<EmbeddingProgress | null>
  /** Sections of the pages, in the order of `uuids`: see page-sections.ts. */
  pageSections(project: string, uuids: string[]): Promise<PageSection[][]>
  /** Some of the pages that link to the address: see page-sections.ts. */
  linkedFrom(project: string, url: string): Promise<string[]>
  totals(): Promise<IndexTotals>
  /** Resolves when the thread's index answers. */
  ping(): Promise<void>
  /** As `detectLanguages` of services/index/detected-language.ts. */
  languages(texts: string[], among: readonly string[]): Promise<(string | null)[]>
  close(): Promise<void>
}

export interface SearchThreadSettings {
  backends: Backends
  /** Null: search goes by words. */
  embeddings: EmbeddingsConfig | null
}

/** As SearchApi, from its owner's side. */
export interface SearchClient extends SearchApi {
  /** A search that still waits is dropped when `signal` aborts. */
  search(request: SearchRequest, signal?: AbortSignal): Promise<SearchAnswer>
  /** Starts the thread and waits until it answers; until then searches are refused as unavailable. */
  open(): Promise<void>
}

interface SearchClientOptions {
  /** Gives vectors of the model of this process. */
  embed?: EmbedCall
  entry?: URL
  settleTime?: number
  cpuLimit?: number
}

/** The thread cannot drop what it was sent: it gets a few at a time, of a project so few that another's need not wait long. */
const limits = { ...requestLimits, max: 32, maxOfGroup: 8 }

/**
 * A call under way when the thread dies rejects with DomainError(unavailable), and so do others until a new one answers, and
 * those of a project that has too many.
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
  // Questions may wait for their vectors, which no search is to wait for.
  const [searches, questions] = [createSemaphore(limits), createSemaphore(limits)]

  function opened(): SearchApi {
    if (!isOpen) throw backendAway('index', null)
    return thread.api
  }

  /** Answers a call on a project, a few at a time of each. */
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
