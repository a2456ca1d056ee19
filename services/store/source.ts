// Sources of a project.
import type { SourceOptions, SourceTypeName } from '../../sources/source-type.ts'

export type SourceType = SourceTypeName

export interface Source {
  uuid: string
  team: string
  project: string
  type: SourceType
  name: string
  /** Empty if the source has no URL. */
  url: string
  /** Unique among the project's sources of the type; usually the URL. */
  identity: string
  include: string[]
  exclude: string[]
  maxPages: number | null
  maxDepth: number | null
  /** Target of the start address's redirect in the last run. Used for the scope of a `site`. */
  resolvedUrl: string | null
  /** Fields specific to the type. */
  options: SourceOptions
  /** Encrypted; null if there are none. */
  credentials: string | null
  createdAt: string
  lastCrawledAt: string | null
  /** Result of the last run; `pending` before the first. */
  state: 'pending' | 'ok' | 'failed'
  /** Why the last run could not read all of the source; null if it could. */
  lastError: string | null
  revision: number
}

export interface SourceStore {
  /** Rejects with Conflict(`url`) if the project has another source of the type with the same identity. */
  insert(source: Source): Promise<void>
  get(project: string, uuid: string): Promise<Source | null>
  /** All sources of a project, oldest first. */
  all(project: string): Promise<Source[]>
  /** Total bytes of the uploads of a team's sources. */
  uploadedSize(team: string): Promise<number>
  /** Number of current pages by source, without sources that have none. */
  pageCounts(project: string): Promise<Map<string, number>>
  /** Writes name, include, exclude, maxPages, maxDepth, identity, options and credentials. Rejects like `insert`. */
  update(source: Source): Promise<boolean>
  /** Records the target of the start address during a crawl. Does not change lastCrawledAt. */
  moved(uuid: string, resolvedUrl: string): Promise<void>
  /** Records a successful crawl, unless a later one is recorded. Does not change the revision. `lastError`: parts not read. */
  crawled(uuid: string, at: string, resolvedUrl: string | null, lastError: string | null): Promise<void>
  /** Sets the state to `failed` and lastError. Does not change lastCrawledAt. */
  failed(uuid: string, error: string): Promise<void>
  /**
   * Deletes the source, and removes it from its pages. Removes pages without other sources unless they are pinned, and queues
   * their units for the sweep.
   */
  delete(project: string, uuid: string): Promise<boolean>
}
