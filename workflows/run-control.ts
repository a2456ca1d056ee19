// What work on a run needs, how the runner controls it, what ends it early, and what identifies pages and their versions.
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

export interface CrawlDeps {
  store: Store
  index: SearchIndex
  fetcher: Fetcher
  parsePool: ParsePool
  credentials: CredentialKeeper
  /** Where this Lectern is reached, without a closing slash. */
  base: string
  now(): Date
  /** Pages that a project may have; null for no limit. */
  pageLimit: number | null
  /** Maximum addresses that a source may add to a run, whatever their outcome. */
  addressLimit: number
  /** Receives faults that a page or a source caused. */
  report(error: unknown): void
  /** Units of versions below, of which none is current, have no writer any more that could still publish them. */
  abandonedVersion(): number
}

export interface RunControl {
  /** Aborts when the run is stopped; every request under way ends with it. */
  signal: AbortSignal
  /** Called at every page: the work is alive. */
  beat(): void
  /** Called when something was stored: a run that is resumed continues after it. */
  onProgress(): void
}

/** What reads pages of a project: `fetcher` is the project's own. */
export interface ReadContext extends CrawlDeps {
  project: string
  robots: Robots
  signal: AbortSignal
}

/** The work on one run. */
export interface RunContext extends ReadContext, RunControl {
  run: Run
  vocabulary: VocabularyKeeper
  /** Writes an event that is no page's. */
  note(type: RunEventType, message: string, more?: MoreOfEvent): Promise<void>
}

/** The run was ended or superseded while it worked: nothing more of it may be written. */
export class RunEnded extends Error {}

/**
 * Returns where a page or a source has brought about a fault of our own. Rejects with what ends the run all the same: it was
 * stopped, has ended, or a backend is unavailable.
 */
export function throwUnlessFault(error: unknown, signal: AbortSignal): void {
  signal.throwIfAborted()
  if (isAway(error) || error instanceof RunEnded) throw error
}

/** The newest version number that this process has made. */
let last = 0

/**
 * Microseconds since 1970, never the same twice in a process; the last three digits are random, so that two processes
 * that publish one page in the same millisecond differ. Fits a double until 2255.
 */
export function newVersion(now: Date): number {
  last = Math.max(last + 1, toFirstVersion(now) + Math.floor(Math.random() * 1_000))
  return last
}

/** What no version made from then on is below, on a clock that agrees. */
export function toFirstVersion(time: Date): number {
  return time.getTime() * 1_000
}

/** The page's UUID (RFC 9562 version 8), made from project and URL: two writers of a new page agree on it. */
export function pageUuid(project: string, url: string): string {
  const hex = createHash('sha256').update(`${project} ${url}`).digest('hex')
  const variant = ((Number.parseInt(hex[16]!, 16) & 3) | 8).toString(16)
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-8${hex.slice(13, 16)}-${variant}${hex.slice(17, 20)}-${hex.slice(20, 32)}`
}
