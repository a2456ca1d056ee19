// The frontier of a live run: the addresses that it has found, with the outcome of each, and the rules by which drivers settle
// outcomes.
import type { FailReason, Outcome, RunEvent, SkipReason } from './run.ts'

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
  /** With `deferred`: the URL of the page that decides, see `pendingCanonicals`. */
  target?: string
  /** Whether an HTTP answer was read for it; counted where the settlement changes the listing or the outcome. */
  fetched: boolean
  /** Of the answer to a skipped or failed address, where there was one. */
  httpStatus?: number | undefined
  /** Null where the outcome writes no event (unchanged) or is deferred. */
  event: RunEvent | null
}

/** A URL whose deferred outcome waits for what comes of another page. */
export interface PendingCanonical {
  url: string
  target: string
  /** What the run knows of the target; null where nobody lists it. */
  state: FrontierState | null
}

export interface FrontierStore {
  /**
   * Adds listings, in order; those that the (run, source) has are skipped, whatever their depth. A URL new to the
   * run becomes pending. Answers the number that were new to the source. 0, and nothing written, when the run has ended.
   */
  discover(run: string, listings: Listing[]): Promise<number>
  /** The next unwalked listings of a source, in the order of discovery. Reading does not take them. */
  next(run: string, source: string, limit: number): Promise<Listing[]>
  /** In the order of `urls`; null where the run does not know the URL. */
  states(run: string, urls: string[]): Promise<(FrontierState | null)[]>
  /**
   * Writes outcomes with their events and addresses (address.ts), and marks the listings walked; a URL that has an outcome that is not deferred
   * keeps it, and its event is not written (its listing is marked all the same). A URL that the run does not know is
   * skipped. False, and nothing written, when the run has ended.
   */
  settle(run: string, settlements: Settlement[]): Promise<boolean>
  /** Marks listings walked whose URL has its outcome from another source. */
  walked(run: string, listings: Pick<Listing, 'source' | 'url'>[]): Promise<void>
  /** Deferred outcomes by URL, so that they can be settled for good before the run ends. */
  deferred(run: string, limit: number): Promise<(FrontierState & { source: string })[]>
  /** What the source settled as deferred with a `target` and has not opened again, by URL. */
  pendingCanonicals(run: string, source: string, limit: number): Promise<PendingCanonical[]>
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

/** Outcomes that leave the page in the index; what `maxPages` counts. */
export const keptOutcomes: readonly string[] = ['added', 'updated', 'unchanged'] satisfies Outcome[]
/** Outcomes at which a listed page stays: one that fails stays as it was before. */
export const stayingOutcomes: readonly string[] = [...keptOutcomes, 'failed']
/** Reasons that take out even a pinned page. */
export const removingReasons: readonly string[] = ['gone', 'excluded'] satisfies FrontierState['reason'][]

export function isKept(outcome: Outcome | null): boolean {
  return outcome !== null && keptOutcomes.includes(outcome)
}

/** What a settlement changes. */
export interface SettlementEffect {
  /** The listing's new state; null: it stays as it is. */
  listing: 'walked' | 'declined' | null
  /** Whether the outcome is written: the address had none, or a deferred one that a final one replaces. */
  isDecided: boolean
  /** Whether the run counts the outcome, and writes its event. */
  isCounted: boolean
  /** Whether the run counts an HTTP answer. */
  isFetched: boolean
}

/**
 * The effect of a settlement on an address and on the settling source's listing of it (null where it does not list it). A
 * source that declined the address takes it up again only when the page is kept.
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
