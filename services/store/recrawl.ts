// Recrawls of single pages and their outcomes.
import type { Paged, PageRequest } from './paging.ts'

export type RecrawlStatus = 'queued' | 'running' | 'indexed' | 'unchanged' | 'dropped'
export type DropReason = 'unfetchable' | 'excluded' | 'no_content' | 'page_limit' | 'duplicate'

export interface Recrawl {
  uuid: string
  team: string
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

export interface RecrawlStore {
  /** Newest first. */
  list(project: string, page: PageRequest): Promise<Paged<Recrawl>>
  insert(recrawl: Recrawl): Promise<void>
  /**
   * Inserts a queued recrawl and returns it, or returns the queued recrawl of the same URL if there is one. Writes nothing and
   * returns null if the project has `maxLive` live recrawls, or is deleted. Deletes all but the newest `maxEnded` ended
   * recrawls.
   */
  enqueue(recrawl: Recrawl, limits: { maxLive: number; maxEnded: number }): Promise<Recrawl | null>
  get(project: string, uuid: string): Promise<Recrawl | null>
  /** Recrawls without a final status, oldest first. */
  live(): Promise<Recrawl[]>
  /** Claims the recrawl: see RunStore.claim. Returns the number of claims since the last release; 0 if its status is final. */
  claim(uuid: string): Promise<number>
  release(uuid: string): Promise<void>
  /** Changes the status unless it is final. False if it is final or the recrawl is unknown. */
  settle(uuid: string, to: RecrawlOutcome): Promise<boolean>
}
