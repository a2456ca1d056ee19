// Pages with the state of their addresses in the live run, for ../stale-pages.ts.
import { setImmediate } from 'node:timers/promises'
import type { ListedPage, ListedPages } from '../stale-pages.ts'
import { type Connection, yieldToWriters } from './connection.ts'
import { declined, type StateRow, toState } from './frontier.ts'

const chunkSize = 200

/** The existing sources of a page. */
export const existingSources = `(select json_group_array(source.uuid order by source.uuid) from page_source
  join source on source.id = page_source.source where page_source.page = page.id)`

const selection = `select page.id, page.uuid, page.url, ${existingSources} as sources, page.pinned, page.held_by as heldBy,
    address.id as known, address.outcome, address.outcome_reason as reason, address.deferred,
    (select json_group_array(listing.source) from listing
      where listing.run = run.id and listing.url = address.id and listing.state <> ${declined}
        and (listing.source = 'pinned' or exists (select 1 from source where source.uuid = listing.source))) as listedBy
  from run cross join project cross join page
  left join address on address.project = project.id and address.url = page.url and address.run = run.id
  where run.uuid = ? and project.live_run = run.id and page.project = project.id`

type Row = StateRow &
  Pick<ListedPage, 'uuid' | 'heldBy'> & { id: number; known: number | null; pinned: number } & Record<
    'sources' | 'listedBy',
    string
  >

function toListed({ uuid, heldBy, known, pinned, sources, listedBy, ...state }: Row): ListedPage {
  return {
    ...{ uuid, heldBy, pinned: pinned === 1, sources: JSON.parse(sources), listedBy: JSON.parse(listedBy) },
    state: known === null ? null : toState(state),
  }
}

const conditions = { pinned: 'and page.pinned = 1', held: 'and page.held_by is not null' }

export function createListedPages(db: Connection): ListedPages {
  return {
    async *read(run, only) {
      const sql = `${selection} ${only ? conditions[only] : ''} and page.uuid > ? order by page.uuid limit ${chunkSize}`
      for (let after = ''; ; await setImmediate()) {
        const rows = db.all<Row>(sql, [run, after])
        if (rows.length === 0) return
        yield rows.map(toListed)
        after = rows.at(-1)!.uuid
      }
    },
    async change(run, fence, uuids, decide) {
      const isLive = db.write(() => {
        const live =
          'select 1 from run join project on project.live_run = run.id where run.uuid = ? and run.fence = ?'
        if (db.get(live, [run, fence]) === undefined) return false
        const sql = `${selection} and page.uuid in (select value from json_each(?))`
        const rows = db.all<Row>(sql, [run, JSON.stringify(uuids)])
        const ids = new Map(rows.map(({ uuid, id }) => [uuid, id]))
        for (const { uuid, heldBy, sources } of decide(rows.map(toListed))) {
          const id = ids.get(uuid)!
          if (heldBy !== undefined) db.run('update page set held_by = ? where id = ?', [heldBy, id])
          if (sources === undefined) continue
          db.run('delete from page_source where page = ?', [id])
          db.run(
            `insert into page_source (page, source)
             select ?, id from source where uuid in (select value from json_each(?))`,
            [id, JSON.stringify(sources)],
          )
        }
        return true
      })
      await yieldToWriters()
      return isLive
    },
  }
}
