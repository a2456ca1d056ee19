// Sync runs, their frontier and their event log.
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
export type FailReason =
  | 'timeout'
  | 'dns'
  | 'tls'
  | 'connection'
  | 'http_4xx'
  | 'http_5xx'
  | 'blocked_address'
  | 'too_large'
  | 'parse'

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
}

/** `pages` stands still once the run has ended. */
export interface RunWithCounts extends Run {
  pages: PageCounts
}

export type RunEventType =
  | 'run_started'
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
  /** Unique in its run, made from what it tells (`page_added:https://…`): the same id again changes nothing. */
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

/** Newest runs of a project whose event log is kept. */
export const runsWithEvents = 20

export interface RunStore {
  /**
   * Makes `run` the project's one live run: a live run before it ends `cancelled` at `run.createdAt`, with
   * supersededBy, and its fence is void from here on. `run.fence` is given by the store. The same uuid again
   * changes nothing and answers as the first time did. Null when the project does not exist.
   */
  begin(run: Omit<Run, 'fence'>): Promise<{ run: Run; superseded: string | null } | null>
  /** queued → running; false when the run is not queued (a resumed run is running already). */
  start(uuid: string, at: string): Promise<boolean>
  /**
   * Ends a live run and voids its fence; false when it has ended before. Frees the run's frontier: its listings, states
   * and deferred outcomes are gone.
   */
  finish(
    uuid: string,
    end: { status: 'completed' | 'failed' | 'cancelled'; at: string; error: string | null },
  ): Promise<boolean>
  get(project: string, uuid: string): Promise<RunWithCounts | null>
  /** The newest run by createdAt; null where there is none. */
  latest(project: string): Promise<RunWithCounts | null>
  /** Newest first. */
  list(project: string, page: PageRequest): Promise<Paged<RunWithCounts>>
  /** Live runs of all projects, oldest first: what a restart takes up again. */
  live(): Promise<Run[]>
  /**
   * Notes that somebody goes on with the run. Answers how often that was noted, this time included, since the run last got on
   * (a page found or decided, an event written) or was let go; 0 when it has ended.
   */
  takeUp(uuid: string): Promise<number>
  /**
   * Notes that whoever went on with the run has stopped in good order, or is no longer the only one that may end its thread:
   * it does not count for takeUp any more.
   */
  letGo(uuid: string): Promise<void>
  /** Whether the run is live and its fence the project's. */
  holds(run: Pick<Run, 'uuid' | 'project' | 'fence'>): Promise<boolean>
  /** Oldest first. Of all but the newest `runsWithEvents` runs of a project they are gone soon after a run has ended. */
  events(
    run: string,
    filter: { level?: string; type?: string },
    page: PageRequest,
  ): Promise<Paged<LoggedEvent>>
  /** Writes events beside page outcomes (run_started, source_finished, …); nothing when the run has ended. */
  append(run: string, events: RunEvent[]): Promise<void>
  /** The last event of an ended run: written although the run has ended. */
  appendLast(run: string, event: RunEvent): Promise<void>
  /**
   * Writes a run that has ended in another store, with its counts and its events as they were numbered there; the
   * project's fence and its live run stay. The same uuid again changes nothing, nor does a project that is gone.
   */
  restore(run: RunWithCounts, events: LoggedEvent[]): Promise<void>
}

/** A URL that a source lists in a run, to be walked: read, and its links followed for that source. */
export interface Listing {
  source: string
  url: string
  /** Links away from the source's start, 0 for the start itself. */
  depth: number
}

/** What the run knows of a URL, whichever source listed it. */
export interface FrontierState {
  url: string
  /** null: pending. */
  outcome: Outcome | null
  reason: SkipReason | FailReason | null
  /**
   * Outcome that holds only if no other source wants the page (`excluded`, `page_limit`, `trap`), or another page stands
   * for it (`canonical`); counts as pending.
   */
  deferred: boolean
}

export interface Settlement {
  source: string
  url: string
  outcome: Outcome
  reason: SkipReason | FailReason | null
  /**
   * See FrontierState. A deferred settlement never replaces an outcome, deferred or not; any other replaces a deferred
   * one. Its source declines the listing: it does not count for `kept` or as listing the page, unless the same source
   * settles it as added, updated or unchanged later.
   */
  deferred: boolean
  /** With `deferred`: the URL of the page that decides, see `diverted`. */
  target?: string
  /** Whether an HTTP answer was read for it; counted where the settlement changes the listing or the outcome. */
  fetched: boolean
  /** Null where the outcome writes no event (unchanged) or is deferred. */
  event: RunEvent | null
}

/** A URL whose deferred outcome waits for what comes of another page. */
export interface Diverted {
  url: string
  target: string
  /** What the run knows of the target; null where nobody lists it. */
  state: FrontierState | null
}

export interface FrontierStore {
  /**
   * Adds listings, in order; those that the (run, source) has are passed over, whatever their depth. A URL new to the
   * run becomes pending. Answers the number that were new to the source. 0, and nothing written, when the run has ended.
   */
  discover(run: string, listings: Listing[]): Promise<number>
  /** The next unwalked listings of a source, in the order of discovery. Reading does not take them. */
  next(run: string, source: string, limit: number): Promise<Listing[]>
  /** In the order of `urls`; null where the run does not know the URL. */
  states(run: string, urls: string[]): Promise<(FrontierState | null)[]>
  /**
   * Writes outcomes with their events, and marks the listings walked; a URL that has an outcome that is not deferred
   * keeps it, and its event is not written (its listing is marked all the same). A URL that the run does not know is
   * passed over. False, and nothing written, when the run has ended.
   */
  settle(run: string, settlements: Settlement[]): Promise<boolean>
  /** Marks listings walked whose URL has its outcome from another source. */
  walked(run: string, listings: Pick<Listing, 'source' | 'url'>[]): Promise<void>
  /** Deferred outcomes in the order of discovery, so that they can be settled for good before the run ends. */
  deferred(run: string, limit: number): Promise<(FrontierState & { source: string })[]>
  /** What the source settled as deferred with a `target` and has not opened again, in the order of discovery. */
  diverted(run: string, source: string, limit: number): Promise<Diverted[]>
  /** Opens declined listings again whose outcome is deferred: `next` answers them once more. */
  reopen(run: string, listings: Pick<Listing, 'source' | 'url'>[]): Promise<void>
  /** Number of the source's listings in the run. */
  listed(run: string, source: string): Promise<number>
  /**
   * Number of the source's listings, declined ones left out, whose URL has the outcome added, updated or unchanged: what
   * `maxPages` counts.
   */
  kept(run: string, source: string): Promise<number>
}
