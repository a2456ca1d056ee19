// Sources of a project.
import type { SourceOptions, SourceTypeName } from '../../sources/source-type.ts'

export type SourceType = SourceTypeName

export interface Source {
  uuid: string
  team: string
  project: string
  type: SourceType
  name: string
  /** Empty where it has none. */
  url: string
  /** What no other source of the type in the project has: mostly its URL. */
  identity: string
  include: string[]
  exclude: string[]
  maxPages: number | null
  maxDepth: number | null
  /** Where the last run found the start address to lead; the scope of a `site` follows it. */
  resolvedUrl: string | null
  /** Fields that only its type has. */
  options: SourceOptions
  /** Encrypted; null where it has none. */
  credentials: string | null
  createdAt: string
  lastCrawledAt: string | null
  /** Whether the last run could read it; `pending` before the first. */
  state: 'pending' | 'ok' | 'failed'
  /** Why the last run could not read all of the source; null where it could. */
  lastError: string | null
  revision: number
}

export interface SourceStore {
  /** Conflict (`url`) where the project has another source of the type and identity. */
  insert(source: Source): Promise<void>
  get(project: string, uuid: string): Promise<Source | null>
  /** All of a project, oldest first. */
  all(project: string): Promise<Source[]>
  /** Bytes of the uploads for the sources of a team. */
  uploadedSize(team: string): Promise<number>
  /** Number of current pages that list each source; sources without pages are left out. */
  pageCounts(project: string): Promise<Map<string, number>>
  /** Writes name, include, exclude, maxPages, maxDepth, identity, options and credentials. Conflict (`url`) as at `insert`. */
  update(source: Source): Promise<boolean>
  /** Notes the target of the start address during a crawl; does not change the time of the last crawl. */
  moved(uuid: string, resolvedUrl: string): Promise<void>
  /** Notes a crawl that could read it (state `ok`), unless a later one is noted; not a change of revision. `lastError`: what was left out. */
  crawled(uuid: string, at: string, resolvedUrl: string | null, lastError: string | null): Promise<void>
  /** Sets state `failed` and lastError; the time of the last crawl stays. */
  failed(uuid: string, error: string): Promise<void>
  /**
   * Takes the source out, and out of the set of every page. Pages left with an empty set that are not pinned go at
   * once, and their units are queued for the sweep.
   */
  delete(project: string, uuid: string): Promise<boolean>
}
