// Sources of a project.
import type { SourceTypeName } from '../../sources/source-type.ts'
import type { Paged, PageRequest } from './paging.ts'

export type SourceType = SourceTypeName

export interface Source {
  uuid: string
  team: string
  project: string
  type: SourceType
  name: string
  url: string
  include: string[]
  exclude: string[]
  maxPages: number | null
  maxDepth: number | null
  /** Where the last run found the start address to lead; the scope of a `site` follows it. */
  resolvedUrl: string | null
  /** Encrypted; null where the type has none. */
  credentials: string | null
  createdAt: string
  lastCrawledAt: string | null
  /** What `update` compares; grows by one with every change. */
  revision: number
}

export interface SourceStore {
  /** Conflict (`url`) when the project has a source of the same type and URL. The same uuid again changes nothing. */
  insert(source: Source): Promise<void>
  get(project: string, uuid: string): Promise<Source | null>
  /** Oldest first. */
  list(project: string, page: PageRequest): Promise<Paged<Source>>
  /** All of a project, oldest first. */
  all(project: string): Promise<Source[]>
  /** Number of current pages that list each source; sources without pages are left out. */
  pageCounts(project: string): Promise<Map<string, number>>
  /**
   * Writes name, include, exclude, maxPages, maxDepth and credentials if the stored revision is `source.revision - 1`;
   * false when it is not.
   */
  update(source: Source): Promise<boolean>
  /** Notes where the start address was found to lead while a crawl goes on; the time of the last crawl stays. */
  moved(uuid: string, resolvedUrl: string): Promise<void>
  /** Notes a finished crawl, unless a later one is noted; not a change of revision. */
  crawled(uuid: string, at: string, resolvedUrl: string | null): Promise<void>
  /**
   * Takes the source out, and out of the set of every page. Pages left with an empty set that are not pinned go at
   * once, and their units are queued for the sweep. False when there was none.
   */
  delete(project: string, uuid: string): Promise<boolean>
}
