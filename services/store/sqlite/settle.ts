// Writing the outcome of URLs, with the counters and events that go with it (decisions.md section 5, "Sync run").
import type { Outcome, RunEvent, Settlement } from '../run.ts'
import type { Connection } from './connection.ts'
import { logEvents } from './event.ts'

interface Known {
  id: number
  outcome: Outcome | null
  deferred: number
}

const keeps = (outcome: Outcome | null): boolean =>
  outcome === 'added' || outcome === 'updated' || outcome === 'unchanged'

/** Marks the listing; answers whether that was a change. The walk's `kept` follows its listings that are not declined. */
const mark = (db: Connection, run: number, url: Known, { source, deferred }: Settlement): boolean => {
  const listing = db.get<{ walk: number; state: number }>(
    `select listing.walk, listing.state from walk join listing on listing.walk = walk.id
     where walk.run = ? and walk.source = ? and listing.url = ?`,
    run,
    source,
    url.id,
  )
  const state = deferred ? 2 : 1
  if (listing === undefined || listing.state === state) return false
  db.run('update listing set state = ? where url = ? and walk = ?', state, url.id, listing.walk)
  const change = Number(state !== 2) - Number(listing.state !== 2)
  if (change !== 0 && url.deferred === 0 && keeps(url.outcome))
    db.run('update walk set kept = kept + ? where id = ?', change, listing.walk)
  return true
}

/** Writes the outcome where the URL has none that stands; answers whether it did. */
const decide = (db: Connection, url: Known, settlement: Settlement): boolean => {
  const { outcome, reason, deferred, source } = settlement
  const open = url.outcome === null || (url.deferred === 1 && !deferred)
  if (!open) return false
  db.run(
    'update frontier set outcome = ?, reason = ?, deferred = ?, deferred_by = ? where id = ?',
    outcome,
    reason,
    Number(deferred),
    deferred ? source : null,
    url.id,
  )
  if (!deferred && keeps(outcome))
    db.run(
      'update walk set kept = kept + 1 where id in (select walk from listing where url = ? and state <> 2)',
      url.id,
    )
  return true
}

/** Settles in order, inside a transaction, for a run that is live. */
export const settle = (db: Connection, run: number, settlements: Settlement[]): void => {
  const counted: Record<Outcome | 'fetched', number> = {
    added: 0,
    updated: 0,
    unchanged: 0,
    skipped: 0,
    failed: 0,
    fetched: 0,
  }
  const events: RunEvent[] = []
  for (const settlement of settlements) {
    const url = db.get<Known>(
      'select id, outcome, deferred from frontier where run = ? and url = ?',
      run,
      settlement.url,
    )
    if (url === undefined) continue
    const marked = mark(db, run, url, settlement)
    const decided = decide(db, url, settlement)
    if (settlement.fetched && (marked || decided)) counted.fetched++
    if (!decided || settlement.deferred) continue
    counted[settlement.outcome]++
    if (settlement.event !== null) events.push(settlement.event)
  }
  const { added, updated, unchanged, skipped, failed, fetched } = counted
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
  logEvents(db, run, events)
}
