// Recrawls of single pages and their outcome.
import type { Paged, PageRequest } from './paging.ts'

export type RecrawlStatus = 'queued' | 'running' | 'indexed' | 'unchanged' | 'dropped'
export type DropReason = 'unfetchable' | 'excluded' | 'no_content' | 'page_limit'

export interface Recrawl {
  uuid: string
  team: string
  project: string
  url: string
  status: RecrawlStatus
  reason: DropReason | null
  createdAt: string
  finishedAt: string | null
}

export interface RecrawlStore {
  /** Newest first. */
  list(project: string, page: PageRequest): Promise<Paged<Recrawl>>
  /** The same uuid again changes nothing. */
  insert(recrawl: Recrawl): Promise<void>
  get(project: string, uuid: string): Promise<Recrawl | null>
  /** Those without a final status, oldest first. */
  live(): Promise<Recrawl[]>
  /** As RunStore's: how often it was claimed, this time included, since it was released; 0 when its status is final. */
  claim(uuid: string): Promise<number>
  release(uuid: string): Promise<void>
  /** Moves on from `queued` or `running`; a final status stays. False when it was final or unknown. */
  settle(
    uuid: string,
    to: { status: RecrawlStatus; reason: DropReason | null; finishedAt: string | null },
  ): Promise<boolean>
}
