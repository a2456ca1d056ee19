// What a run at its end finds of the project's pages: pinned ones that no source listed, and those without a place.
import { removingReasons, stayingOutcomes } from '../outcomes.ts'
import type { PageStore } from '../page.ts'
import { type Connection, quoted } from './connection.ts'
import { type PageRow, pageSelection, pages } from './page-row.ts'
import { liveRun } from './run-row.ts'

/** A listing by a source that is still there (or a pinned page's own), which did not decline it. */
const listedInRun = `select 1 from frontier join listing on listing.url = frontier.id and listing.state <> 2
  join walk on walk.id = listing.walk
  where frontier.run = ?1 and frontier.url = page.url
    and frontier.deferred = 0 and frontier.outcome in (${quoted(stayingOutcomes)})
    and (walk.source = 'pinned' or exists (select 1 from source where source.uuid = walk.source))`

const lost = `page.pinned = 0 and not exists (${listedInRun})
  or page.pinned = 1 and exists (select 1 from frontier where frontier.run = ?1 and frontier.url = page.url
    and frontier.deferred = 0 and frontier.reason in (${quoted(removingReasons)}))`

const ofUnreadable = `select 1 from page_source join source on source.id = page_source.source
  where page_source.page = page.id and source.uuid in (select value from json_each(?2))`

export function createStalePages(db: Connection): Pick<PageStore, 'pinnedUnlisted' | 'unlisted'> {
  return {
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
        .map(pages.toRow)
    },
    unlisted: async (uuid, unreadable) => {
      const run = liveRun(db, uuid)
      if (run === undefined) return []
      return db
        .all<PageRow>(
          `${pageSelection} where project.live_run = ?1 and (${lost}) and not exists (${ofUnreadable}) order by page.uuid`,
          run,
          JSON.stringify(unreadable),
        )
        .map(pages.toRow)
    },
  }
}
