// Dependencies and control of a run, errors that end it early, and identifiers of pages and versions.
import { createHash } from 'node:crypto'
import type { Fetcher } from '../crawler/fetch.ts'
import type { Robots } from '../crawler/robots.ts'
import { isAway } from '../services/errors.ts'
import type { SearchIndex } from '../services/index/search-index.ts'
import type { CredentialKeeper } from '../services/source/credentials.ts'
import type { Run, RunEventType } from '../services/store/run.ts'
import type { Store } from '../services/store/store.ts'
import type { MoreOfEvent } from './events.ts'
import type { ParsePool } from './parse/parse-pool.ts'
import type { VocabularyKeeper } from './vocabulary.ts'

/** What reading pages needs. */
export interface ReadDeps {
  store: Store
  fetcher: Fetcher
  parsePool: ParsePool
  credentials: CredentialKeeper
  /** Base address of this Lectern, without a trailing slash. */
  base: string
  now(): Date
  /** Receives errors that a page or a source caused. */
  report(error: unknown): void
}

export interface CrawlDeps extends ReadDeps {
  index: SearchIndex
  /** Maximum pages of a project. Null: no limit. */
  pageLimit: number | null
  /** Maximum addresses that a source may add to a run. */
  addressLimit: number
  /** Returns a version number. Writers of lower versions have ended, so units of such versions that are not current can be removed. */
  abandonedVersion(): number
}

export interface RunControl {
  /** Aborted when the run is stopped. Aborts its pending requests. */
  signal: AbortSignal
  /** Called at every page as a heartbeat. */
  beat(): void
  /** Called when something was stored. A resumed run continues after it. */
  onProgress(): void
}

/** Dependencies for reading pages of a project. `fetcher` belongs to the project. */
export interface ReadContext extends ReadDeps {
  project: string
  robots: Robots
  signal: AbortSignal
}

/** The work on one run. */
export interface RunContext extends ReadContext, CrawlDeps, RunControl {
  run: Run
  vocabulary: VocabularyKeeper
  /** Writes an event of the run or a source. */
  note(type: RunEventType, message: string, more?: MoreOfEvent): Promise<void>
}

/** The run was ended or superseded. It must not write anything more. */
export class RunEnded extends Error {}

/**
 * Returns if the error is a bug that a page or a source caused. Throws errors that must end the run: it was stopped, it has
 * ended, or a backend is unavailable.
 */
export function throwUnlessFault(error: unknown, signal: AbortSignal): void {
  signal.throwIfAborted()
  if (isAway(error) || error instanceof RunEnded) throw error
}

/** The last version number of this process. */
let last = 0

/**
 * Microseconds since 1970, unique in a process. The last three digits are random, so that two processes that publish a
 * page in the same millisecond use different numbers. Fits a double until 2255.
 */
export function newVersion(now: Date): number {
  last = Math.max(last + 1, toFirstVersion(now) + Math.floor(Math.random() * 1_000))
  return last
}

/** Lower bound of versions made at or after a time, if clocks agree. */
export function toFirstVersion(time: Date): number {
  return time.getTime() * 1_000
}

/** The page's UUID (RFC 9562 version 8), derived from project and URL, so that concurrent writers of a new page use the same. */
export function pageUuid(project: string, url: string): string {
  const hex = createHash('sha256').update(`${project} ${url}`).digest('hex')
  const variant = ((Number.parseInt(hex[16]!, 16) & 3) | 8).toString(16)
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-8${hex.slice(13, 16)}-${variant}${hex.slice(17, 20)}-${hex.slice(20, 32)}`
}
