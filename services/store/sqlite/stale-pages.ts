// Updates pages at the end of a run: finds those that no source lists, holds or removes them, and assigns sources. Writes in chunks,
// so that other writers can run between.
import { setImmediate } from 'node:timers/promises'
import { removingReasons, stayingOutcomes } from '../frontier.ts'
import type { PageStore } from '../page.ts'
import { type Connection, quoted, yieldToWriters } from './connection.ts'
import { pageTable, type StalePageMethods } from './page.ts'
import { addCounts, findFencedProject, findLiveRun } from './run.ts'
import { createRows } from './table.ts'

const chunkSize = 200

/** Condition for the address of a page found by run `?1`. */
const foundInRun = 'address.project = page.project and address.url = page.url and address.run = ?1'

/** A listing by an existing source (or a pinned page's own listing) that did not decline the page. */
const listedInRun = `select 1 from address
  join listing on listing.run = address.run and listing.url = address.id and listing.state <> 2
  where ${foundInRun} and address.deferred = 0 and address.outcome in (${quoted(stayingOutcomes)})
    and (listing.source = 'pinned' or exists (select 1 from source where source.uuid = listing.source))`

const lost = `page.pinned = 0 and not exists (${listedInRun})
  or page.pinned = 1 and exists (select 1 from address where ${foundInRun}
    and address.deferred = 0 and address.outcome_reason in (${quoted(removingReasons)}))`

const ofUnreadable = `select 1 from page_source join source on source.id = page_source.source
  where page_source.page = page.id and source.uuid in (select value from json_each(?2))`

/** Pages between two URLs, except those held by the run, and readable sources. */
const inRange = `project.live_run = ?1 and page.project = project.id and page.url > ?2 and page.url <= ?3
  and source.uuid not in (select value from json_each(?4)) and page.held_by is not ?5`

/** (page, source) rows without a listing in the run. */
const surplus = `select page_source.page, page_source.source
  from project cross join page cross join page_source cross join source
  where ${inRange} and page_source.page = page.id and source.id = page_source.source and not exists (
    select 1 from address cross join listing
    where ${foundInRun} and listing.run = ?1 and listing.url = address.id and listing.source = source.uuid
      and listing.state <> 2)`

/** Listings in the run without a (page, source) row. */
const missing = `select page.id, source.id
  from project cross join page cross join address cross join listing cross join source
  where ${inRange} and ${foundInRun} and listing.run = ?1 and listing.url = address.id
    and listing.state <> 2 and source.uuid = listing.source and source.project = project.id
    and not exists (
      select 1 from page_source where page_source.page = page.id and page_source.source = source.id)`

export function createStalePages(db: Connection): Pick<PageStore, StalePageMethods> {
  const pages = createRows(db, pageTable)

  /** Runs a short transaction for each chunk, while writes with the fence are allowed. */
  async function inChunks(
    project: string,
    fence: number | null,
    uuids: string[],
    work: (project: number, uuids: string) => void,
  ): Promise<void> {
    for (let at = 0; at < uuids.length; at += chunkSize) {
      const isFenced = db.write(() => {
        const id = findFencedProject(db, project, fence)
        if (id !== undefined) work(id, JSON.stringify(uuids.slice(at, at + chunkSize)))
        return id === undefined
      })
      if (isFenced) return
      await yieldToWriters()
    }
  }

  return {
    pinnedUnlisted: async (uuid, limit) => {
      const run = findLiveRun(db, uuid)
      if (run === undefined) return []
      const where = `where project.live_run = ?1 and page.pinned = 1
        and not exists (select 1 from address where ${foundInRun})
        order by page.uuid limit ?2`
      return pages.all(where, [run, limit])
    },
    unlisted: async (uuid, unreadable) => {
      const run = findLiveRun(db, uuid)
      if (run === undefined) return []
      const where = `where project.live_run = ?1 and (${lost}) and not exists (${ofUnreadable}) order by page.uuid`
      return pages.all(where, [run, JSON.stringify(unreadable)])
    },
    hold: async (project, fence, run, uuids) => {
      const sql = 'update page set held_by = ? where project = ? and uuid in (select value from json_each(?))'
      const wanted = new Set(uuids)
      const held = db.all<{ uuid: string }>(
        `select page.uuid ${pageTable.from} where project.uuid = ? and page.held_by is not null`,
        [project],
      )
      const others = held.flatMap(({ uuid }) => (wanted.has(uuid) ? [] : [uuid]))
      await inChunks(project, fence, others, (id, chunk) => db.run(sql, [null, id, chunk]))
      await inChunks(project, fence, uuids, (id, chunk) => db.run(sql, [run, id, chunk]))
    },
    remove: async (project, fence, uuids) => {
      let removed = 0
      await inChunks(project, fence, uuids, (id, chunk) => {
        const sql = 'delete from page where project = ? and uuid in (select value from json_each(?))'
        const count = db.run(sql, [id, chunk])
        removed += count
        if (fence === null) return
        const { run } = db.get<{ run: number }>('select live_run as run from project where id = ?', [id])!
        addCounts(db, run, { removed: count })
      })
      return removed
    },
    assignSources: async (uuid, fence, unreadable) => {
      const unreadableUuids = JSON.stringify(unreadable)
      let after = ''
      for (;;) {
        const row = db.get<{ run: number; last: string | null }>(
          `select run.id as run, (
           select max(url) from (
             select url from page where page.project = project.id and url > ?3 order by url limit ${chunkSize})) as last
         from run join project on project.live_run = run.id where run.uuid = ?1 and run.fence = ?2`,
          [uuid, fence, after],
        )
        if (row === undefined || row.last === null) return
        const range = [row.run, after, row.last, unreadableUuids, uuid]
        after = row.last
        // Publishing has already set most sources, so only chunks with a difference take the write lock.
        const { differs } = db.get<{ differs: number }>(
          `select exists (${surplus}) or exists (${missing}) as differs`,
          range,
        )!
        if (differs === 0) {
          await setImmediate()
          continue
        }
        db.write(() => {
          db.run(`delete from page_source where (page, source) in (${surplus})`, range)
          db.run(`insert into page_source (page, source) ${missing}`, range)
        })
        await yieldToWriters()
      }
    },
  }
}
