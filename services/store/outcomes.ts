// What the outcome of an address means for its page and for the sources that list it: the rules that both drivers apply.
import type { FrontierState, Settlement } from './frontier.ts'
import type { Outcome } from './run.ts'

/** Outcomes that leave the page in the index; what `maxPages` counts. */
export const keptOutcomes: readonly string[] = ['added', 'updated', 'unchanged'] satisfies Outcome[]
/** Outcomes at which a listed page stays: one that fails stays as it was before. */
export const stayingOutcomes: readonly string[] = [...keptOutcomes, 'failed']
/** Reasons that take out even a pinned page. */
export const removingReasons: readonly string[] = ['gone', 'excluded'] satisfies FrontierState['reason'][]

export function isKept(outcome: Outcome | null): boolean {
  return outcome !== null && keptOutcomes.includes(outcome)
}

/** An address before a settlement, and the settling source's listing of it; null where that source does not list it. */
export interface Settling extends Pick<FrontierState, 'outcome' | 'deferred'> {
  listing: 'open' | 'walked' | 'declined' | null
}

export interface Settled {
  /** The listing's new state; null: it stays as it is. */
  listing: 'walked' | 'declined' | null
  /** What the listing's new state adds to the `kept` of its source. */
  kept: -1 | 0 | 1
  /** Whether the outcome is written: the address had none, or a deferred one that a final one replaces. */
  isDecided: boolean
  /** Whether every source that lists the address and did not decline it has one more `kept`. */
  isKeptNow: boolean
  /** Whether the run counts the outcome, and writes its event. */
  isCounted: boolean
  /** Whether the run counts an HTTP answer. */
  isFetched: boolean
}

/** A source that declined an address takes it up again only when the page is kept. */
export function settle({ outcome, deferred, listing }: Settling, settlement: Settlement): Settled {
  const isDeclined = settlement.deferred || (listing === 'declined' && !isKept(settlement.outcome))
  const state = isDeclined ? 'declined' : 'walked'
  const isMarked = listing !== null && listing !== state
  const wasKept = !deferred && isKept(outcome)
  const isDecided = outcome === null || (deferred && !settlement.deferred)
  const isCounted = isDecided && !settlement.deferred
  return {
    listing: isMarked ? state : null,
    kept: !isMarked || !wasKept ? 0 : isDeclined ? -1 : listing === 'declined' ? 1 : 0,
    isDecided,
    isKeptNow: isCounted && isKept(settlement.outcome),
    isCounted,
    isFetched: settlement.fetched && (isMarked || isDecided),
  }
}
