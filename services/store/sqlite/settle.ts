// Writing the outcome of URLs, with the counters and events that go with it.

import type { Settlement } from '../frontier.ts'
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

const walked = 1
const declined = 2

function keeps(outcome: Outcome | null): boolean {
  return outcome === 'added' || outcome === 'updated' || outcome === 'unchanged'
}

/** What a batch adds to the counters of its run, and to the `kept` of walks. */
interface Tally {
  run: Record<Outcome | 'fetched', number>
  kept: Map<number, number>
}

function count(tally: Tally, walk: number, change: number): void {
  if (change !== 0) tally.kept.set(walk, (tally.kept.get(walk) ?? 0) + change)
}

/** Marks the listing walked or declined; answers whether that was a change. */
function mark(db: Connection, url: FrontierUrl, { outcome, deferred }: Settlement, tally: Tally): boolean {
  const stays = url.state === declined && !keeps(outcome)
  const state = deferred || stays ? declined : walked
  if (url.walk === null || url.state === state) return false
  db.run('update listing set state = ? where url = ? and walk = ?', state, url.id, url.walk)
  if (url.deferred === 0 && keeps(url.outcome))
    count(tally, url.walk, Number(state !== declined) - Number(url.state !== declined))
  return true
}

/** Writes the outcome where the URL has none that stands; answers whether it did. */
function decide(db: Connection, url: FrontierUrl, settlement: Settlement, tally: Tally): boolean {
  const { outcome, reason, deferred, source, target = null } = settlement
  const undecided = url.outcome === null || (url.deferred === 1 && !deferred)
  if (!undecided) return false
  db.run(
    'update frontier set outcome = ?, reason = ?, deferred = ?, deferred_by = ?, target = ? where id = ?',
    outcome,
    reason,
    Number(deferred),
    deferred ? source : null,
    deferred ? target : null,
    url.id,
  )
  if (!deferred && keeps(outcome))
    for (const { walk } of db.all<{ walk: number }>(
      `select walk from listing where url = ? and state <> ${declined}`,
      url.id,
    ))
      count(tally, walk, 1)
  return true
}

/** Settles in order, inside a transaction, for a run that is live. */
export function settle(db: Connection, run: number, settlements: Settlement[]): void {
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
    const marked = mark(db, url, settlement, tally)
    const decided = decide(db, url, settlement, tally)
    if (settlement.fetched && (marked || decided)) tally.run.fetched++
    if (!decided || settlement.deferred) continue
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
