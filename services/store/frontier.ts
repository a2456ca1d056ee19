// The frontier of a live run: the addresses that it has found, with their outcomes, and the rules for settling outcomes, which
// drivers share.
import type { FailReason, Outcome, RunEvent, SkipReason } from './run.ts'

/** A URL that a source lists in a run. Walking it reads the page and follows its links for the source. */
export interface Listing {
  source: string
  url: string
  /** Number of links from the source's start; 0: the start. */
  depth: number
}

/** State of a URL in the run, for all sources. */
export interface FrontierState {
  url: string
  /** Null: pending. */
  outcome: Outcome | null
  reason: SkipReason | FailReason | null
  /**
   * The outcome is provisional: another source may still add the page (`excluded`, `page_limit`, `trap`), or it depends on
   * another page (`canonical`). Counts as pending.
   */
  deferred: boolean
}

export interface Settlement {
  source: string
  url: string
  outcome: Outcome
  reason: SkipReason | FailReason | null
  /**
   * See FrontierState. A deferred settlement never replaces an outcome. A final one replaces a deferred outcome. The source
   * of a deferred settlement declines the listing: it does not count for `kept` and does not list the page, unless the source
   * later settles it as added, updated or unchanged.
   */
  deferred: boolean
  /** With `deferred`: the URL of the page that the outcome depends on. */
  target?: string
  /** Whether an HTTP response was read. Counted if the settlement changes the listing or the outcome. */
  fetched: boolean
  /** HTTP status of a skipped or failed address, if there was a response. */
  httpStatus?: number | undefined
  /** Null for `unchanged` and deferred outcomes, which write no event. */
  event: RunEvent | null
}

/** A URL with a deferred outcome. */
export interface DeferredState extends FrontierState {
  source: string
  target: string | null
}

export interface FrontierStore {
  /**
   * Adds listings, in order. Skips those that the source already has in the run. A URL new to the run becomes pending. Returns
   * the number of new listings. Writes nothing and returns 0 if the run has ended.
   */
  discover(run: string, listings: Listing[]): Promise<number>
  /** The next listings of a source to walk, in the order of discovery. Does not claim them. */
  next(run: string, source: string, limit: number): Promise<Listing[]>
  /** States in the order of `urls`; null for URLs unknown to the run. */
  states(run: string, urls: string[]): Promise<(FrontierState | null)[]>
  /**
   * Writes outcomes with their events and addresses (address.ts), and marks the listings as walked. A URL with a final outcome
   * keeps it, and the event is not written, but the listing is marked. Skips URLs unknown to the run. Writes nothing and
   * returns false if the run has ended.
   */
  settle(run: string, settlements: Settlement[]): Promise<boolean>
  /** Marks listings as walked whose URL has an outcome from another source. */
  walked(run: string, listings: Pick<Listing, 'source' | 'url'>[]): Promise<void>
  /**
   * Deferred outcomes by URL, to be settled finally before the run ends. `source`: only those that this source has deferred with a
   * `target` and not reopened.
   */
  deferred(run: string, limit: number, source?: string): Promise<DeferredState[]>
  /** Reopens declined listings with deferred outcomes, so that `next` returns them again. */
  reopen(run: string, listings: Pick<Listing, 'source' | 'url'>[]): Promise<void>
  /** Number of listings of the source in the run. */
  listed(run: string, source: string): Promise<number>
  /**
   * Number of listings of the source with the outcome added, updated or unchanged, without declined ones. `maxPages` limits
   * it.
   */
  kept(run: string, source: string): Promise<number>
}

/** Outcomes of indexed pages. `maxPages` limits their number. */
export const keptOutcomes: readonly string[] = ['added', 'updated', 'unchanged'] satisfies Outcome[]
/** Outcomes with which a listed page stays in the index. A failed page stays in its previous version. */
export const stayingOutcomes: readonly string[] = [...keptOutcomes, 'failed']
/** Reasons that remove even a pinned page. */
export const removingReasons: readonly string[] = ['gone', 'excluded'] satisfies FrontierState['reason'][]

export function isKept(outcome: Outcome | null): boolean {
  return outcome !== null && keptOutcomes.includes(outcome)
}

/** The changes of a settlement. */
export interface SettlementEffect {
  /** The listing's new state; null: unchanged. */
  listing: 'walked' | 'declined' | null
  /** Whether to write the outcome: the address has none, or a final outcome replaces a deferred one. */
  isDecided: boolean
  /** Whether to count the outcome and write its event. */
  isCounted: boolean
  /** Whether to count an HTTP response. */
  isFetched: boolean
}

/**
 * Returns the effect of a settlement on an address and on the source's listing (null if the source does not list it). A source that
 * declined the address accepts it again only if the page is indexed.
 */
export function settle(
  { outcome, deferred }: Pick<FrontierState, 'outcome' | 'deferred'>,
  listing: 'open' | 'walked' | 'declined' | null,
  settlement: Settlement,
): SettlementEffect {
  const isDeclined = settlement.deferred || (listing === 'declined' && !isKept(settlement.outcome))
  const state = isDeclined ? 'declined' : 'walked'
  const isMarked = listing !== null && listing !== state
  const isDecided = outcome === null || (deferred && !settlement.deferred)
  const isCounted = isDecided && !settlement.deferred
  return {
    listing: isMarked ? state : null,
    isDecided,
    isCounted,
    isFetched: settlement.fetched && (isMarked || isDecided),
  }
}
