// Recrawls of single pages and their outcome.
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
  /** With a reason: the event log's reason and sentence; null where there is none. */
  detail: string | null
  message: string | null
  createdAt: string
  finishedAt: string | null
}

/** `detail` and `message` left out: null. */
export type RecrawlOutcome = Pick<Recrawl, 'status' | 'reason' | 'finishedAt'> &
  Partial<Pick<Recrawl, 'detail' | 'message'>>

export interface RecrawlStore {
  /** Newest first. */
  list(project: string, page: PageRequest): Promise<Paged<Recrawl>>
  insert(recrawl: Recrawl): Promise<void>
  /**
   * Inserts a queued recrawl and answers it. Answers the queued recrawl of the same URL in the project instead if there is one. Writes
   * nothing and answers null if the project has `maxLive` recrawls without a final status, or is gone. Keeps the newest `maxEnded`
   * recrawls with a final status.
   */
  enqueue(recrawl: Recrawl, limits: { maxLive: number; maxEnded: number }): Promise<Recrawl | null>
  get(project: string, uuid: string): Promise<Recrawl | null>
  /** Those without a final status, oldest first. */
  live(): Promise<Recrawl[]>
  /** As RunStore's: how often it was claimed, this time included, since it was released; 0 when its status is final. */
  claim(uuid: string): Promise<number>
  release(uuid: string): Promise<void>
  /** Moves on from `queued` or `running`; a final status stays. False when it was final or unknown. */
  settle(uuid: string, to: RecrawlOutcome): Promise<boolean>
}
