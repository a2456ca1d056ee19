// An index on a thread of its own, from its callers' side: building and merging never hold up who adds.
import type { Backends } from '../config.ts'
import { heartbeatTimeouts } from '../thread/heartbeat.ts'
import { createOnDemand } from '../thread/on-demand.ts'
import { openSupervisedThread, toApi } from '../thread/thread.ts'
import type { SearchIndex } from './search-index.ts'

type Versions = { page: string; version: number; units: number }[]

/** What the thread serves. A type, so that it fits what a thread may serve. */
export type IndexApi = Omit<SearchIndex, 'versions'> & { versions(project: string): Promise<Versions> }

const entry = new URL('./index-thread.ts', import.meta.url)

export interface IndexThreadSettings {
  backends: Backends
}

/** In the thread: what it serves of its index. */
export function toIndexApi(index: SearchIndex): IndexApi {
  return { ...index, versions: (project) => toList(index.versions(project)) }
}

async function toList<Item>(items: AsyncIterable<Item>): Promise<Item[]> {
  const list: Item[] = []
  for await (const item of items) list.push(item)
  return list
}

/** Milliseconds without a call after which the thread is ended; it keeps nothing that is not on disk. */
const idleTimeout = 30_000

/**
 * The first call starts the thread with the settings. Calls under way when the thread dies reject with
 * DomainError(unavailable), and so do others until a new one answers; `report` is told why.
 */
export function createIndexClient(
  workerData: IndexThreadSettings,
  report: (error: unknown) => void,
): SearchIndex {
  const thread = createOnDemand({
    open: () =>
      openSupervisedThread<IndexApi>({
        entry,
        workerData,
        heartbeatTimeout: heartbeatTimeouts.index,
        report,
      }),
    close: ({ close }) => close((last) => last.close()),
    idleTimeout,
    report,
  })
  const api = toApi<IndexApi>((method, args) => thread.use(({ call }) => call(method, args)))
  const own: Pick<SearchIndex, 'versions' | 'close'> = {
    async *versions(project) {
      yield* await api.versions(project)
    },
    close: thread.close,
  }
  // Every other method is found in the thread's.
  return Object.assign(Object.create(api), own)
}
