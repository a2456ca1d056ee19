// The frontier of a live run: what to read, and how each URL ended. Reading side, and new listings.
import type { FrontierState, FrontierStore, Listing } from '../frontier.ts'
import { keptOutcomes } from '../outcomes.ts'
import { endOfPrefix } from '../paging.ts'
import { type Connection, quoted, yieldToWriters } from './connection.ts'
import type { ListedUrls } from './listed-urls.ts'
import { liveRun } from './run-row.ts'
import { settleAll } from './settle.ts'

/** One page may name some hundred thousand others: the thread, and other writers, get their turn in between. */
const listedAtOnce = 2_000

type StateRow = Omit<FrontierState, 'deferred'> & { deferred: number }

const toState = (row: StateRow): FrontierState => ({ ...row, deferred: row.deferred === 1 })

/** Adds one source's listings, each URL once; answers how many were new to it. */
function list(db: Connection, run: number, source: string, listings: Listing[]): number {
  const walk = db.get<{ id: number; listed: number }>(
    `insert into walk (run, source) values (?, ?)
     on conflict (run, source) do update set listed = listed returning id, listed`,
    run,
    source,
  )!
  const unlisted = db.all<{ at: number; id: number | null; kept: number | null }>(
    `select each.key as at, frontier.id,
       frontier.deferred = 0 and frontier.outcome in (${quoted(keptOutcomes)}) as kept
     from json_each(?1) each left join frontier on frontier.run = ?3 and frontier.url = each.value
     where not exists (select 1 from listing where listing.url = frontier.id and listing.walk = ?2)`,
    JSON.stringify(listings.map((listing) => listing.url)),
    walk.id,
    run,
  )
  let ordinal = walk.listed
  let discovered = 0
  let kept = 0
  for (const row of unlisted) {
    const { url, depth } = listings[row.at]!
    const id = row.id ?? db.insert('insert into frontier (run, url) values (?, ?)', run, url)
    db.run(
      'insert into listing (url, walk, ordinal, depth) values (?, ?, ?, ?)',
      id,
      walk.id,
      ++ordinal,
      depth,
    )
    discovered += Number(row.id === null)
    kept += row.kept ?? 0
  }
  if (unlisted.length > 0)
    db.run('update walk set listed = ?, kept = kept + ? where id = ?', ordinal, kept, walk.id)
  if (discovered > 0)
    db.run(
      'update run set discovered = discovered + ?1, pending = pending + ?1 where id = ?2',
      discovered,
      run,
    )
  return unlisted.length
}

/** How far a source has come in a live run. */
function walkOf(db: Connection, run: string, source: string) {
  return db.get<{ listed: number; kept: number }>(
    `select walk.listed, walk.kept from run join project on project.live_run = run.id join walk on walk.run = run.id
     where run.uuid = ? and walk.source = ?`,
    run,
    source,
  )
}

export function createFrontier(db: Connection, listed: ListedUrls): FrontierStore {
  return {
    discover: async (uuid, listings) => {
      let added = 0
      for (const [source, its] of Map.groupBy(listings, (listing) => listing.source)) {
        const unknown = listed.unknown(uuid, source, its)
        for (let at = 0; at < unknown.length; at += listedAtOnce) {
          if (at > 0) await yieldToWriters()
          const chunk = unknown.slice(at, at + listedAtOnce)
          const fresh = db.write(() => {
            const run = liveRun(db, uuid)
            return run === undefined ? null : list(db, run, source, chunk)
          })
          if (fresh === null) return added
          listed.add(uuid, source, chunk)
          added += fresh
        }
      }
      return added
    },
    next: async (uuid, source, limit) => {
      const run = liveRun(db, uuid)
      if (run === undefined) return []
      return db
        .all<Listing>(
          `select walk.source, frontier.url, listing.depth
         from walk join listing on listing.walk = walk.id and listing.state = 0
         join frontier on frontier.id = listing.url
         where walk.run = ? and walk.source = ? order by listing.ordinal limit ?`,
          run,
          source,
          limit,
        )
        .map((row) => ({ ...row }))
    },
    states: async (uuid, urls) => {
      const run = liveRun(db, uuid)
      if (run === undefined) return urls.map(() => null)
      const rows = db.all<StateRow>(
        `select url, outcome, reason, deferred from frontier
       where run = ? and url in (select value from json_each(?))`,
        run,
        JSON.stringify(urls),
      )
      const byUrl = new Map(rows.map((row) => [row.url, toState(row)]))
      return urls.map((url) => byUrl.get(url) ?? null)
    },
    pending: async (uuid, urlPrefix, after, limit) => {
      const run = liveRun(db, uuid)
      if (run === undefined) return []
      const found = db.all<{ url: string }>(
        `select url from frontier where run = ? and url >= ? and url < ? and url > ?
           and (outcome is null or deferred = 1) order by url limit ?`,
        run,
        urlPrefix,
        endOfPrefix(urlPrefix),
        after,
        limit,
      )
      return found.map(({ url }) => url)
    },
    settle: async (uuid, settlements) =>
      db.write(() => {
        const run = liveRun(db, uuid)
        if (run !== undefined) settleAll(db, run, settlements)
        return run !== undefined
      }),
    walked: async (uuid, listings) => {
      db.write(() => {
        const run = liveRun(db, uuid)
        if (run === undefined) return
        for (const { source, url } of listings)
          db.run(
            `update listing set state = 1 where state = 0
             and url = (select id from frontier where run = ?1 and url = ?2)
             and walk = (select id from walk where run = ?1 and source = ?3)`,
            run,
            url,
            source,
          )
      })
    },
    deferred: async (uuid, limit) => {
      const run = liveRun(db, uuid)
      if (run === undefined) return []
      return db
        .all<StateRow & { source: string }>(
          `select url, outcome, reason, deferred, deferred_by as source from frontier
         where run = ? and deferred = 1 order by id limit ?`,
          run,
          limit,
        )
        .map((row) => ({ ...toState(row), source: row.source }))
    },
    pendingCanonicals: async (uuid, source, limit) => {
      const run = liveRun(db, uuid)
      if (run === undefined) return []
      return db
        .all<{ url: string; target: string; known: number | null } & Omit<StateRow, 'url'>>(
          `select frontier.url, frontier.target, other.id as known, other.outcome, other.reason, other.deferred
         from walk join frontier on frontier.run = walk.run and frontier.deferred = 1
           and frontier.deferred_by = walk.source and frontier.target is not null
         join listing on listing.url = frontier.id and listing.walk = walk.id and listing.state = 2
         left join frontier other on other.run = walk.run and other.url = frontier.target
         where walk.run = ? and walk.source = ? order by frontier.id limit ?`,
          run,
          source,
          limit,
        )
        .map(({ url, target, known, ...state }) => ({
          url,
          target,
          state: known === null ? null : toState({ url: target, ...state }),
        }))
    },
    reopen: async (uuid, listings) => {
      db.write(() => {
        const run = liveRun(db, uuid)
        if (run === undefined) return
        for (const { source, url } of listings)
          db.run(
            `update listing set state = 0 where state = 2
             and url = (select id from frontier where run = ?1 and url = ?2 and deferred = 1)
             and walk = (select id from walk where run = ?1 and source = ?3)`,
            run,
            url,
            source,
          )
      })
    },
    listed: async (uuid, source) => walkOf(db, uuid, source)?.listed ?? 0,
    kept: async (uuid, source) => walkOf(db, uuid, source)?.kept ?? 0,
  }
}
