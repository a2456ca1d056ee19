// Recrawls of single pages and their outcomes.
import type { PageRequest } from './paging.ts'
import { newestFirst, oldestFirst, type Rows, type Table } from './rows.ts'

export type RecrawlStatus = 'queued' | 'running' | 'indexed' | 'unchanged' | 'dropped'
export type DropReason = 'unfetchable' | 'excluded' | 'no_content' | 'page_limit' | 'duplicate'

export interface Recrawl {
  uuid: string
  project: string
  url: string
  status: RecrawlStatus
  reason: DropReason | null
  /** Reason and sentence of the event log, if there is a reason; else null. */
  detail: string | null
  message: string | null
  createdAt: string
  finishedAt: string | null
}

/** `detail` and `message` default to null. */
export type RecrawlOutcome = Pick<Recrawl, 'status' | 'reason' | 'finishedAt'> &
  Partial<Pick<Recrawl, 'detail' | 'message'>>

export const recrawlTable: Table<Recrawl> = {
  name: 'recrawl',
  fields: 'uuid project url status reason? detail? message? createdAt finishedAt?',
  isOfProject: true,
  indexes: ['project createdAt uuid', 'project status url', 'status createdAt uuid'],
}

export const liveStatuses: RecrawlStatus[] = ['queued', 'running']

/** The methods of a driver. */
export interface RecrawlQueue {
  /**
   * Inserts a queued recrawl and returns it, or returns the queued recrawl of the same URL if there is one. Writes nothing and
   * returns null if the project has `maxLive` live recrawls, or is deleted. Deletes all but the newest `maxEnded` ended
   * recrawls.
   */
  enqueue(recrawl: Recrawl, limits: { maxLive: number; maxEnded: number }): Promise<Recrawl | null>
  /** Claims the recrawl: see RunStore.claim. Returns the number of claims since the last release; 0 if its status is final. */
  claim(uuid: string): Promise<number>
  release(uuid: string): Promise<void>
}

export type RecrawlStore = ReturnType<typeof createRecrawls>

export function createRecrawls(recrawls: Rows<Recrawl>, queue: RecrawlQueue) {
  return {
    ...queue,
    insert: async (recrawl: Recrawl) => void (await recrawls.insert(recrawl)),
    get: async (project: string, uuid: string) => recrawls.one({ uuid, project }),
    /** Newest first. */
    list: async (project: string, page: PageRequest) => recrawls.page({ project }, newestFirst, page),
    /** Recrawls without a final status, oldest first. */
    live: async () => recrawls.all({ status: { $in: liveStatuses } }, oldestFirst),
    /** Changes the status unless it is final. False if it is final or the recrawl is unknown. */
    settle: async (uuid: string, to: RecrawlOutcome) =>
      recrawls.set({ uuid, status: { $in: liveStatuses } }, { detail: null, message: null, ...to }),
  }
}
