// Sync runs and their event log.
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

/** discovered = added + updated + unchanged + skipped + failed + pending, at every moment. */
export interface PageCounts {
  discovered: number
  pending: number
  /** HTTP answers, 304 and 404 too. */
  fetched: number
  unchanged: number
  added: number
  updated: number
  skipped: number
  failed: number
  /** Pages taken out of the index; beside the sum. */
  removed: number
}

export const noPages: PageCounts = {
  ...{ discovered: 0, pending: 0, fetched: 0, unchanged: 0, added: 0 },
  ...{ updated: 0, skipped: 0, failed: 0, removed: 0 },
}

export interface Run {
  uuid: string
  team: string
  project: string
  /** Grows with every run of the project; a write under a smaller fence than the project's is refused. */
  fence: number
  trigger: Trigger
  status: RunStatus
  createdAt: string
  startedAt: string | null
  finishedAt: string | null
  error: string | null
  supersededBy: string | null
  /** Number of sources that the run could not read; 0 until it has ended. */
  sourcesFailed: number
}

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
  /** Unique in its run, made from its content (`page_added:https://…`): the same id again changes nothing. */
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
  /** From 1, in the order of arrival, without gaps. */
  sequence: number
}

export interface RunEnd {
  status: 'completed' | 'failed' | 'cancelled'
  at: string
  error: string | null
  /** Left out: 0. */
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

/** Newest runs of a project that are kept, once they have ended. */
export const maxRuns = 100

/** Newest runs of a project whose event log is kept. */
export const runsWithEvents = 20

export interface RunStore {
  /**
   * Makes `run` the project's one live run: a live run before it ends `cancelled` at `run.createdAt`, with
   * supersededBy, and its fence is void from here on. `run.fence` is given by the store. The same uuid again answers as the
   * first time did. Null when the project does not exist.
   */
  begin(run: Omit<Run, 'fence'>): Promise<{ run: Run; superseded: string | null } | null>
  /** queued → running; false when the run is not queued (a resumed run is running already). */
  start(uuid: string, at: string): Promise<boolean>
  /**
   * Ends a live run and voids its fence; false when it has ended before. Frees the run's frontier: its listings, states
   * and deferred outcomes are gone.
   */
  finish(uuid: string, end: RunEnd): Promise<boolean>
  get(project: string, uuid: string): Promise<RunWithCounts | null>
  /** The newest run by createdAt. */
  latest(project: string): Promise<RunWithCounts | null>
  /** Newest first. All but the newest `maxRuns` are gone soon after a run has ended. */
  list(project: string, page: PageRequest): Promise<Paged<RunWithCounts>>
  /** Live runs of all projects, oldest first: what a restart takes up again. */
  live(): Promise<Run[]>
  /**
   * Notes that a process works on the run. Answers how often it was claimed, this time included, since it last made
   * progress (a page found, decided or removed) or was released; 0 when it has ended.
   */
  claim(uuid: string): Promise<number>
  /**
   * Notes that the process has stopped its work in good order, or that other work may as well end its thread: the claims so
   * far count no more.
   */
  release(uuid: string): Promise<void>
  /** Whether the run is live and its fence the project's. */
  holds(run: Pick<Run, 'uuid' | 'project' | 'fence'>): Promise<boolean>
  /** Oldest first. Of all but the newest `runsWithEvents` runs of a project they are gone soon after a run has ended. */
  events(run: string, filter: EventFilter, page: PageRequest): Promise<Paged<LoggedEvent>>
  /**
   * Events of the project's newest `runsWithEvents` runs whose id is `page:{url}` or `removed:{url}`. Newest run first,
   * within a run oldest first.
   */
  eventsByUrl(project: string, url: string, limit: number): Promise<LoggedEvent[]>
  /** Writes events beside page outcomes (run_started, source_finished, …); nothing when the run has ended. */
  append(run: string, events: RunEvent[]): Promise<void>
  /** The last event of an ended run: written although the run has ended. */
  appendLast(run: string, event: RunEvent): Promise<void>
  /**
   * Writes a run that has ended in another store, with its counts and its events as they were numbered there; the
   * project's fence and its live run stay. Writes nothing where the project is gone.
   */
  restore(run: RunWithCounts, events: LoggedEvent[]): Promise<void>
}
