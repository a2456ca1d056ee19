// Sync runs and their event logs.
import type { FailReason } from '../../crawler/fetch-result.ts'
import type { Paged, PageRequest } from './paging.ts'

export type RunStatus = 'queued' | 'running' | 'completed' | 'failed' | 'cancelled'
export type Trigger = 'api' | 'schedule' | 'console' | 'cli'
export type Outcome = 'added' | 'updated' | 'unchanged' | 'skipped' | 'failed'
export type SkipReason =
  | 'robots'
  | 'noindex'
  | 'excluded'
  | 'duplicate'
  | 'canonical'
  | 'redirect'
  | 'gone'
  | 'no_content'
  | 'page_limit'
  | 'trap'
export type { FailReason }

/** Always, discovered = added + updated + unchanged + skipped + failed + pending. */
export interface PageCounts {
  discovered: number
  pending: number
  /** HTTP responses, including 304 and 404. */
  fetched: number
  unchanged: number
  added: number
  updated: number
  skipped: number
  failed: number
  /** Pages removed from the index. Not part of the sum. */
  removed: number
}

export const noPages: PageCounts = {
  ...{ discovered: 0, pending: 0, fetched: 0, unchanged: 0, added: 0 },
  ...{ updated: 0, skipped: 0, failed: 0, removed: 0 },
}

export interface Run {
  uuid: string
  project: string
  /** Increases with every run of the project. Writes with an older fence are rejected. */
  fence: number
  trigger: Trigger
  status: RunStatus
  createdAt: string
  startedAt: string | null
  finishedAt: string | null
  error: string | null
  supersededBy: string | null
  /** Number of sources that could not be read; 0 until the run ends. */
  sourcesFailed: number
}

/** Identifies a run, or a recrawl. */
export type RunKey = Pick<Run, 'uuid' | 'project'>

/** `pages` does not change after the end of the run. */
export interface RunWithCounts extends Run {
  pages: PageCounts
}

export type RunEventType =
  | 'run_started'
  | 'run_resumed'
  | 'source_started'
  | 'page_added'
  | 'page_updated'
  | 'page_removed'
  | 'page_skipped'
  | 'page_failed'
  | 'removals_held'
  | 'source_finished'
  | 'run_finished'

export interface RunEvent {
  /** Unique in the run, derived from the content (`page_added:https://…`). Writing an id again changes nothing. */
  id: string
  at: string
  level: 'info' | 'warning' | 'error'
  type: RunEventType
  url: string | null
  sourceUuid: string | null
  reason: string | null
  message: string
}

export interface LoggedEvent extends RunEvent {
  /** Consecutive numbers from 1. */
  sequence: number
}

export interface RunEnd {
  status: 'completed' | 'failed' | 'cancelled'
  at: string
  error: string | null
  /** Default: 0. */
  sourcesFailed?: number
}

/** Fields that are absent or undefined do not filter. */
export interface EventFilter {
  level?: string | undefined
  type?: string | undefined
  url?: string | undefined
  reason?: string | undefined
  sourceUuid?: string | undefined
  /** Only events with a greater sequence. */
  after?: number
}

/** Number of runs stored per project. */
export const maxRuns = 100

/** Number of runs per project whose event logs are stored. */
export const runsWithEvents = 20

export interface RunStore {
  /**
   * Makes `run` the project's only live run. A previous live run ends as `cancelled` at `run.createdAt`, with supersededBy, and
   * its fence becomes invalid. The store assigns the fence. Repeating a uuid returns the same result. Null if the project
   * does not exist.
   */
  begin(run: Omit<Run, 'fence'>): Promise<{ run: Run; superseded: string | null } | null>
  /** Changes the status from queued to running. False if it is not queued, as for a resumed run. */
  start(uuid: string, at: string): Promise<boolean>
  /**
   * Ends a live run and invalidates its fence. False if it has already ended. Deletes the run's frontier: its listings, states
   * and deferred outcomes.
   */
  finish(uuid: string, end: RunEnd): Promise<boolean>
  get(project: string, uuid: string): Promise<RunWithCounts | null>
  /** The newest run by createdAt. */
  latest(project: string): Promise<RunWithCounts | null>
  /** Newest first. All but the newest `maxRuns` are deleted soon after a run ends. */
  list(project: string, page: PageRequest): Promise<Paged<RunWithCounts>>
  /** Live runs of all projects, oldest first, to be resumed by a restart. */
  live(): Promise<Run[]>
  /**
   * Records that a process works on the run. Returns the number of claims, including this one, since the last progress (a page
   * found, decided or removed) or release. 0 if the run has ended.
   */
  claim(uuid: string): Promise<number>
  /**
   * Resets the number of claims: the process has stopped its work gracefully, or other work may be the cause of a crash of the
   * thread.
   */
  release(uuid: string): Promise<void>
  /** Whether the run is live and its fence is the project's. */
  holds(run: Pick<Run, 'uuid' | 'project' | 'fence'>): Promise<boolean>
  /** Oldest first. Only the newest `runsWithEvents` runs of a project have events; others are deleted soon after a run ends. */
  events(run: string, filter: EventFilter, page: PageRequest): Promise<Paged<LoggedEvent>>
  /**
   * Events with the id `page:{url}` or `removed:{url}` in the project's newest `runsWithEvents` runs. Newest run first, within a
   * run oldest first.
   */
  eventsByUrl(project: string, url: string, limit: number): Promise<LoggedEvent[]>
  /** Writes events other than page outcomes (run_started, source_finished, …). Does nothing if the run has ended. */
  append(run: string, events: RunEvent[]): Promise<void>
  /** Writes the last event of a run, even if it has ended. */
  appendLast(run: string, event: RunEvent): Promise<void>
  /**
   * Writes an ended run from another store, with its counts and its events and their numbers. Does not change the project's
   * fence and live run. Writes nothing if the project is deleted.
   */
  restore(run: RunWithCounts, events: LoggedEvent[]): Promise<void>
}
