// What a run at its end leaves of the project's pages: those without a place, held ones, removal, and the sources
// that list each. Set-based SQL; writes go in chunks, so that others get between them.
import { setImmediate } from 'node:timers/promises'
import type { PageStore } from '../page.ts'
import type { Connection } from './connection.ts'
import { fencedProject, liveRun } from './live.ts'
import { type PageRow, pageSelection, toPage } from './page-row.ts'
import { othersTurn } from './turns.ts'

const chunkSize = 200

/** Runs one short transaction a chunk, until one of them answers false. */
const inChunks = async <Row>(db: Connection, rows: Row[], work: (chunk: Row[]) => boolean): Promise<void> => {
  for (let at = 0; at < rows.length; at += chunkSize) {
    if (!db.write(() => work(rows.slice(at, at + chunkSize)))) return
    await othersTurn()
  }
}

/** A listing by a source that is still there (or a pinned page's own), which did not decline it. */
const listedInRun = `select 1 from frontier join listing on listing.url = frontier.id and listing.state <> 2
  join walk on walk.id = listing.walk
  where frontier.run = ?1 and frontier.url = page.url
    and frontier.deferred = 0 and frontier.outcome in ('added', 'updated', 'unchanged', 'failed')
    and (walk.source = 'pinned' or exists (select 1 from source where source.uuid = walk.source))`

const lost = `page.pinned = 0 and not exists (${listedInRun})
  or page.pinned = 1 and exists (select 1 from frontier where frontier.run = ?1 and frontier.url = page.url
    and frontier.deferred = 0 and frontier.reason in ('gone', 'excluded'))`

const ofUnjudged = `select 1 from page_source join source on source.id = page_source.source
  where page_source.page = page.id and source.uuid in (select value from json_each(?2))`

/** Pages between two URLs that the run does not hold, and the sources that are judged. */
const inRange = `project.live_run = ?1 and page.project = project.id and page.url > ?2 and page.url <= ?3
  and source.uuid not in (select value from json_each(?4)) and page.held_by is not ?5`

/** (page, source) rows that the run does not bear out. */
const surplus = `select page_source.page, page_source.source
  from project cross join page cross join page_source cross join source
  where ${inRange} and page_source.page = page.id and source.id = page_source.source and not exists (
    select 1 from walk cross join frontier cross join listing
    where walk.run = ?1 and walk.source = source.uuid and frontier.run = ?1 and frontier.url = page.url
      and listing.url = frontier.id and listing.walk = walk.id and listing.state <> 2)`

/** (page, source) rows that the run found and that are not there. */
const missing = `select page.id, source.id
  from project cross join page cross join frontier cross join listing cross join walk cross join source
  where ${inRange} and frontier.run = ?1 and frontier.url = page.url and listing.url = frontier.id
    and listing.state <> 2 and walk.id = listing.walk and source.uuid = walk.source and source.project = project.id
    and not exists (
      select 1 from page_source where page_source.page = page.id and page_source.source = source.id)`

export const createJudgement = (
  db: Connection,
): Pick<PageStore, 'pinnedUnlisted' | 'unlisted' | 'hold' | 'remove' | 'assignSources'> => ({
  pinnedUnlisted: async (uuid, limit) => {
    const run = liveRun(db, uuid)
    if (run === undefined) return []
    return db
      .all<PageRow>(
        `${pageSelection} where project.live_run = ?1 and page.pinned = 1
           and not exists (select 1 from frontier where frontier.run = ?1 and frontier.url = page.url)
         order by page.uuid limit ?2`,
        run,
        limit,
      )
      .map(toPage)
  },
  unlisted: async (uuid, unjudged) => {
    const run = liveRun(db, uuid)
    if (run === undefined) return []
    return db
      .all<PageRow>(
        `${pageSelection} where project.live_run = ?1 and (${lost}) and not exists (${ofUnjudged}) order by page.uuid`,
        run,
        JSON.stringify(unjudged),
      )
      .map(toPage)
  },
  hold: async (uuid, fence, run, uuids) => {
    const wanted = new Set(uuids)
    const others = db
      .all<{ uuid: string }>(
        `select page.uuid from project join page on page.project = project.id
         where project.uuid = ? and page.held_by is not null`,
        uuid,
      )
      .flatMap((row) => (wanted.has(row.uuid) ? [] : [row.uuid]))
    const mark = (by: string | null) => (chunk: string[]) => {
      const project = fencedProject(db, uuid, fence)
      if (project === undefined) return false
      db.run(
        'update page set held_by = ? where project = ? and uuid in (select value from json_each(?))',
        by,
        project,
        JSON.stringify(chunk),
      )
      return true
    }
    await inChunks(db, others, mark(null))
    await inChunks(db, uuids, mark(run))
  },
  remove: async (uuid, fence, uuids) => {
    let removed = 0
    await inChunks(db, uuids, (chunk) => {
      const project = fencedProject(db, uuid, fence)
      if (project === undefined) return false
      const gone = db.run(
        'delete from page where project = ? and uuid in (select value from json_each(?))',
        project,
        JSON.stringify(chunk),
      )
      if (fence !== null)
        db.run(
          'update run set removed = removed + ? where id = (select live_run from project where id = ?)',
          gone,
          project,
        )
      removed += gone
      return true
    })
    return removed
  },
  assignSources: async (uuid, fence, unjudged) => {
    const judged = JSON.stringify(unjudged)
    let after = ''
    for (;;) {
      const row = db.get<{ run: number; last: string | null }>(
        `select run.id as run, (
           select max(url) from (
             select url from page where page.project = project.id and url > ?3 order by url limit ${chunkSize})) as last
         from run join project on project.live_run = run.id where run.uuid = ?1 and run.fence = ?2`,
        uuid,
        fence,
        after,
      )
      if (row === undefined || row.last === null) return
      const range = [row.run, after, row.last, judged, uuid]
      after = row.last
      // Publishing has set most sources already: only a chunk with a difference takes the write lock.
      const { differs } = db.get<{ differs: number }>(
        `select exists (${surplus}) or exists (${missing}) as differs`,
        ...range,
      )!
      if (differs === 0) {
        await setImmediate()
        continue
      }
      db.write(() => {
        db.run(`delete from page_source where (page, source) in (${surplus})`, ...range)
        db.run(`insert into page_source (page, source) ${missing}`, ...range)
      })
      await othersTurn()
    }
  },
})
