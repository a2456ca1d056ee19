// The sources of each page as a run at its end leaves them. Set-based SQL; writes go in chunks, so that others get between
// them.
import { setImmediate } from 'node:timers/promises'
import type { PageStore } from '../page.ts'
import { type Connection, yieldToWriters } from './connection.ts'

const chunkSize = 200

/** Pages between two URLs that the run does not hold, and the sources whose list could be read. */
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

export function createAssignment(db: Connection): Pick<PageStore, 'assignSources'> {
  return {
    assignSources: async (uuid, fence, unreadable) => {
      const unreadableUuids = JSON.stringify(unreadable)
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
        const range = [row.run, after, row.last, unreadableUuids, uuid]
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
        await yieldToWriters()
      }
    },
  }
}
