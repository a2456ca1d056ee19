// The frontier of a live run: what to read, and how each URL ended. Reading side, and new listings.
import type { FrontierState, FrontierStore, Listing } from '../run.ts'
import type { Connection } from './connection.ts'
import { liveRun } from './live.ts'
import { settle } from './settle.ts'

type StateRow = Omit<FrontierState, 'deferred'> & { deferred: number }

const toState = (row: StateRow): FrontierState => ({ ...row, deferred: row.deferred === 1 })

/** Adds one source's listings; answers how many were new to it. */
const list = (db: Connection, run: number, source: string, listings: Listing[]): number => {
  const walk = db.get<{ id: number; listed: number }>(
    `insert into walk (run, source) values (?, ?)
     on conflict (run, source) do update set listed = listed returning id, listed`,
    run,
    source,
  )!
  // Most links of a page are known: one statement passes over them all.
  const unknown = db.all<{ at: number }>(
    `select each.key as at from json_each(?1) each where not exists (
       select 1 from frontier join listing on listing.url = frontier.id and listing.walk = ?2
       where frontier.run = ?3 and frontier.url = each.value)`,
    JSON.stringify(listings.map((listing) => listing.url)),
    walk.id,
    run,
  )
  let listed = walk.listed
  let discovered = 0
  let kept = 0
  for (const { at } of unknown) {
    const { url, depth } = listings[at]!
    discovered += db.run(
      'insert into frontier (run, url) values (?, ?) on conflict (run, url) do nothing',
      run,
      url,
    )
    const row = db.get<{ id: number; kept: number }>(
      `select id, deferred = 0 and outcome in ('added', 'updated', 'unchanged') as kept
       from frontier where run = ? and url = ?`,
      run,
      url,
    )!
    const added = db.run(
      'insert into listing (url, walk, ordinal, depth) values (?, ?, ?, ?) on conflict (url, walk) do nothing',
      row.id,
      walk.id,
      listed + 1,
      depth,
    )
    listed += added
    kept += added * (row.kept ?? 0)
  }
  if (listed > walk.listed)
    db.run('update walk set listed = ?, kept = kept + ? where id = ?', listed, kept, walk.id)
  if (discovered > 0)
    db.run(
      'update run set discovered = discovered + ?1, pending = pending + ?1 where id = ?2',
      discovered,
      run,
    )
  return listed - walk.listed
}

export const createFrontier = (db: Connection): FrontierStore => ({
  discover: async (uuid, listings) =>
    db.write(() => {
      const run = liveRun(db, uuid)
      if (run === undefined) return 0
      let added = 0
      for (const [source, its] of Map.groupBy(listings, (listing) => listing.source))
        added += list(db, run, source, its)
      return added
    }),
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
  settle: async (uuid, settlements) =>
    db.write(() => {
      const run = liveRun(db, uuid)
      if (run !== undefined) settle(db, run, settlements)
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
  kept: async (uuid, source) =>
    db.get<{ kept: number }>(
      `select walk.kept from run join project on project.live_run = run.id join walk on walk.run = run.id
       where run.uuid = ? and walk.source = ?`,
      uuid,
      source,
    )?.kept ?? 0,
})
