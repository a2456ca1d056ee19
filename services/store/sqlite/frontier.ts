// The frontier of a live run: its listings, and the outcome of each URL, with the counts and events of the run.
import { toAddress } from '../address.ts'
import {
  type DeferredState,
  type FrontierState,
  type FrontierStore,
  keptOutcomes,
  type Listing,
  type Settlement,
  settle,
} from '../frontier.ts'
import type { Outcome, RunEvent } from '../run.ts'
import { toVisited, undecided, visited } from './address.ts'
import { type Connection, quoted, yieldToWriters } from './connection.ts'
import { addCounts, findLiveRun, logEvents } from './run.ts'

export const frontierSchema = `
-- In the order of discovery. state: 0 open, 1 walked, 2 declined (its source settled it as deferred).
create table listing (
  id integer primary key,
  run integer not null,
  url integer not null,
  source text not null,
  depth integer not null,
  state integer not null default 0,
  unique (run, url, source)
) strict;
create index listing_open on listing (run, source, id) where state = 0;
`

/** Listings per transaction. A page may have some hundred thousand links, so other work runs between. */
const batchSize = 2_000

/** By the value of `listing.state`. */
const listingStates = ['open', 'walked', 'declined'] as const
export const declined = listingStates.indexOf('declined')

export type StateRow = Omit<FrontierState, 'deferred'> & { deferred: number }

export const toState = (row: StateRow): FrontierState => ({ ...row, deferred: row.deferred === 1 })

/** Condition for addresses found by run `?1`. */
const ofRun = 'address.project = (select project from run where id = ?1) and address.run = ?1'

/** Adds listings of a source, without duplicate URLs. Returns the number of new listings. */
function list(db: Connection, run: number, source: string, listings: Listing[]): number {
  const { project } = db.get<{ project: number }>('select project from run where id = ?', [run])!
  const unlisted = db.all<{ at: number; id: number | null; run: number | null }>(
    `select each.key as at, address.id, address.run
     from json_each(?1) each left join address on address.project = ?2 and address.url = each.value
     where not exists (select 1 from listing where run = ?3 and url = address.id and source = ?4)`,
    [JSON.stringify(listings.map((listing) => listing.url)), project, run, source],
  )
  let discovered = 0
  for (const row of unlisted) {
    const { url, depth } = listings[row.at]!
    const id =
      row.id ?? db.insert('insert into address (project, run, url) values (?, ?, ?)', [project, run, url])
    if (row.id !== null && row.run !== run)
      db.run(`update address set run = ?, ${undecided} where id = ?`, [run, id])
    db.run('insert into listing (run, url, source, depth) values (?, ?, ?, ?)', [run, id, source, depth])
    discovered += Number(row.run !== run)
  }
  if (discovered > 0) addCounts(db, run, { discovered, pending: discovered })
  return unlisted.length
}

interface FrontierUrl {
  id: number
  outcome: Outcome | null
  deferred: number
  /** State of the source's listing; null if the source does not list the URL. */
  state: number | null
}

/** Writes settlements of a live run, in order. Call it in a transaction. */
function settleAll(db: Connection, run: number, settlements: Settlement[]): void {
  const counts = { added: 0, updated: 0, unchanged: 0, skipped: 0, failed: 0, fetched: 0, pending: 0 }
  const events: RunEvent[] = []
  for (const settlement of settlements) {
    const { outcome, reason, deferred, source, target = null } = settlement
    const url = db.get<FrontierUrl>(
      `select address.id, address.outcome, address.deferred, listing.state
       from address left join listing on listing.run = ?1 and listing.url = address.id and listing.source = ?3
       where ${ofRun} and address.url = ?2`,
      [run, settlement.url, source],
    )
    if (url === undefined) continue
    const listing = url.state === null ? null : listingStates[url.state]!
    const settled = settle({ outcome: url.outcome, deferred: url.deferred === 1 }, listing, settlement)
    if (settled.listing !== null) {
      const state = listingStates.indexOf(settled.listing)
      db.run('update listing set state = ? where run = ? and url = ? and source = ?', [
        ...[state, run, url.id, source],
      ])
    }
    if (settled.isDecided && deferred)
      db.run(
        'update address set outcome = ?, outcome_reason = ?, deferred = 1, deferred_by = ?, target = ? where id = ?',
        [outcome, reason, source, target, url.id],
      )
    if (settled.isCounted)
      db.run(`update address set ${undecided}, outcome = ?, outcome_reason = ?, ${visited} where id = ?`, [
        outcome,
        reason,
        ...toVisited(toAddress(settlement)),
        url.id,
      ])
    if (settled.isFetched) counts.fetched++
    if (!settled.isCounted) continue
    counts[outcome]++
    counts.pending--
    if (settlement.event !== null) events.push(settlement.event)
  }
  addCounts(db, run, counts)
  logEvents(db, run, events)
}

export function createFrontier(db: Connection): FrontierStore {
  /** Reads from a live run. Returns no rows if it has ended. */
  function readLive<Row>(uuid: string, read: (run: number) => Row[]): Row[] {
    const run = findLiveRun(db, uuid)
    return run === undefined ? [] : read(run)
  }

  /** Writes to a live run in a transaction. Writes nothing and returns null if it has ended. */
  function writeLive<Result>(uuid: string, work: (run: number) => Result): Result | null {
    return db.write(() => {
      const run = findLiveRun(db, uuid)
      return run === undefined ? null : work(run)
    })
  }

  /** Changes the state of listings whose address matches `condition`. */
  function mark(
    uuid: string,
    listings: Pick<Listing, 'source' | 'url'>[],
    change: string,
    condition: string,
  ) {
    const sql = `update listing set ${change}
      and run = ?1 and source = ?3 and url = (select id from address where ${ofRun} and url = ?2 ${condition})`
    writeLive(uuid, (run) => {
      for (const { source, url } of listings) db.run(sql, [run, url, source])
    })
  }

  /** The listings of a source in a live run, with their addresses. */
  const ofSource = `from run join project on project.live_run = run.id
    join listing on listing.run = run.id join address on address.id = listing.url
    where run.uuid = ? and listing.source = ?`

  return {
    discover: async (uuid, listings) => {
      let added = 0
      for (const [source, its] of Map.groupBy(listings, (listing) => listing.source)) {
        const known = new Set<string>()
        const different = its.filter(({ url }) => !known.has(url) && known.add(url))
        for (let at = 0; at < different.length; at += batchSize) {
          if (at > 0) await yieldToWriters()
          const chunk = different.slice(at, at + batchSize)
          const count = writeLive(uuid, (run) => list(db, run, source, chunk))
          if (count === null) return added
          added += count
        }
      }
      return added
    },
    next: async (uuid, source, limit) =>
      db.all<Listing>(
        `select listing.source, address.url, listing.depth ${ofSource} and listing.state = 0
         order by listing.id limit ?`,
        [uuid, source, limit],
      ),
    states: async (uuid, urls) => {
      const rows = readLive(uuid, (run) =>
        db.all<StateRow>(
          `select url, outcome, outcome_reason as reason, deferred from address
           where ${ofRun} and url in (select value from json_each(?2))`,
          [run, JSON.stringify(urls)],
        ),
      )
      const byUrl = new Map(rows.map((row) => [row.url, toState(row)]))
      return urls.map((url) => byUrl.get(url) ?? null)
    },
    settle: async (uuid, settlements) =>
      writeLive(uuid, (run) => {
        settleAll(db, run, settlements)
        return true
      }) ?? false,
    walked: async (uuid, listings) => mark(uuid, listings, 'state = 1 where state = 0', ''),
    deferred: async (uuid, limit, source) => {
      const rows = readLive(uuid, (run) =>
        db.all<StateRow & Pick<DeferredState, 'source' | 'target'>>(
          `select url, outcome, outcome_reason as reason, deferred, deferred_by as source, target from address
           where run = ?1 and deferred = 1 and (?3 is null or target is not null and exists (
             select 1 from listing where listing.run = ?1 and listing.url = address.id
               and listing.source = ?3 and deferred_by = ?3 and listing.state = ${declined}))
           order by url limit ?2`,
          [run, limit, source ?? null],
        ),
      )
      return rows.map((row) => ({ ...row, deferred: true }))
    },
    reopen: async (uuid, listings) =>
      mark(uuid, listings, `state = 0 where state = ${declined}`, 'and deferred = 1'),
    listed: async (uuid, source) => db.count(ofSource, [uuid, source]),
    kept: async (uuid, source) =>
      db.count(
        `${ofSource} and listing.state <> ${declined} and address.deferred = 0
           and address.outcome in (${quoted(keptOutcomes)})`,
        [uuid, source],
      ),
  }
}
