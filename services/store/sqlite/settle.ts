// Writing the outcome of URLs, with the counters and events that go with it.

import type { Settlement } from '../frontier.ts'
import { type Settled, settle } from '../outcomes.ts'
import type { Outcome, RunEvent } from '../run.ts'
import type { Connection } from './connection.ts'
import { logEvents } from './event.ts'

interface FrontierUrl {
  id: number
  outcome: Outcome | null
  deferred: number
  /** The settling source's listing of it; null where that source does not list it. */
  walk: number | null
  state: number | null
}

/** By their numbers in `listing.state`. */
const listingStates = ['open', 'walked', 'declined'] as const
const declined = listingStates.indexOf('declined')

/** What a batch adds to the counters of its run, and to the `kept` of walks. */
interface Tally {
  run: Record<Outcome | 'fetched', number>
  kept: Map<number, number>
}

function count(tally: Tally, walk: number, change: number): void {
  if (change !== 0) tally.kept.set(walk, (tally.kept.get(walk) ?? 0) + change)
}

function writeOutcome(db: Connection, url: FrontierUrl, settlement: Settlement): void {
  const { outcome, reason, deferred, source, target = null } = settlement
  db.run(
    'update frontier set outcome = ?, reason = ?, deferred = ?, deferred_by = ?, target = ? where id = ?',
    outcome,
    reason,
    Number(deferred),
    deferred ? source : null,
    deferred ? target : null,
    url.id,
  )
}

function writeOne(db: Connection, url: FrontierUrl, settlement: Settlement, tally: Tally): Settled {
  const listing = url.state === null ? null : listingStates[url.state]!
  const settled = settle({ outcome: url.outcome, deferred: url.deferred === 1, listing }, settlement)
  if (settled.listing !== null) {
    const state = listingStates.indexOf(settled.listing)
    db.run('update listing set state = ? where url = ? and walk = ?', state, url.id, url.walk)
    count(tally, url.walk!, settled.kept)
  }
  if (settled.isDecided) writeOutcome(db, url, settlement)
  if (settled.isKeptNow)
    for (const { walk } of db.all<{ walk: number }>(
      `select walk from listing where url = ? and state <> ${declined}`,
      url.id,
    ))
      count(tally, walk, 1)
  return settled
}

/** Settles in order, inside a transaction, for a run that is live. */
export function settleAll(db: Connection, run: number, settlements: Settlement[]): void {
  const tally: Tally = {
    run: { added: 0, updated: 0, unchanged: 0, skipped: 0, failed: 0, fetched: 0 },
    kept: new Map(),
  }
  const events: RunEvent[] = []
  for (const settlement of settlements) {
    const url = db.get<FrontierUrl>(
      `select frontier.id, frontier.outcome, frontier.deferred, listing.walk, listing.state
       from frontier left join walk on walk.run = ?1 and walk.source = ?3
       left join listing on listing.url = frontier.id and listing.walk = walk.id
       where frontier.run = ?1 and frontier.url = ?2`,
      run,
      settlement.url,
      settlement.source,
    )
    if (url === undefined) continue
    const { isFetched, isCounted } = writeOne(db, url, settlement, tally)
    if (isFetched) tally.run.fetched++
    if (!isCounted) continue
    tally.run[settlement.outcome]++
    if (settlement.event !== null) events.push(settlement.event)
  }
  const { added, updated, unchanged, skipped, failed, fetched } = tally.run
  db.run(
    `update run set pending = pending - ?, added = added + ?, updated = updated + ?, unchanged = unchanged + ?,
       skipped = skipped + ?, failed = failed + ?, fetched = fetched + ? where id = ?`,
    added + updated + unchanged + skipped + failed,
    added,
    updated,
    unchanged,
    skipped,
    failed,
    fetched,
    run,
  )
  for (const [walk, change] of tally.kept)
    db.run('update walk set kept = kept + ? where id = ?', change, walk)
  logEvents(db, run, events)
}
