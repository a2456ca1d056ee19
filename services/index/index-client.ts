// An index on a thread of its own, from its callers' side: building and merging never hold up who adds.
import type { Backends } from '../config.ts'
import { heartbeatTimeouts } from '../thread/heartbeat.ts'
import { openSupervisedThread } from '../thread/thread.ts'
import type { SearchIndex } from './search-index.ts'

type Versions = { page: string; version: number; units: number }[]

/** What the thread serves. A type, so that it fits what a thread may serve. */
export type IndexApi = Omit<SearchIndex, 'versions'> & { versions(project: string): Promise<Versions> }

const entry = new URL('../main/index-thread.ts', import.meta.url)

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

/**
 * Starts the thread with the settings and waits until it answers. Calls under way when the thread dies reject
 * with DomainError(unavailable), and so do others until a new one answers; `report` is told why.
 */
export async function openIndexThread(
  workerData: IndexThreadSettings,
  report: (error: unknown) => void,
): Promise<SearchIndex> {
  const { api, close } = await openSupervisedThread<IndexApi>({
    entry,
    workerData,
    heartbeatTimeout: heartbeatTimeouts.index,
    report,
  })
  const own: Pick<SearchIndex, 'versions' | 'close'> = {
    async *versions(project) {
      yield* await api.versions(project)
    },
    close: () => close((last) => last.close()),
  }
  // Every other method is found in the thread's.
  return Object.assign(Object.create(api), own)
}
