// Publishing pages, and noting that they are unchanged.
import type { PageStore, Publication, PublishResult } from '../page.ts'
import type { Connection } from './connection.ts'
import { toBody } from './page-content.ts'
import { pages } from './page-row.ts'
import { fencedProject } from './run-row.ts'

/** Joins the page's sources with the stored ones; a source that is gone meanwhile, and `pinned`, have no row. */
function addSources(db: Connection, project: number, page: number, sources: string[]): void {
  for (const source of sources)
    db.run(
      'insert or ignore into page_source (page, source) select ?, id from source where uuid = ? and project = ?',
      page,
      source,
      project,
    )
}

const insertion = `insert into page (project, ${pages.names}) values ($project, ${pages.parameters})
  on conflict do nothing returning id`
const written = pages.set(
  'version fetchedAt contentHash pipeline etag lastModified title language docVersion sourceType',
)
/** The compare-and-set: the row changes only if its version is the one replaced and it was not fetched later. */
const replacement = `update page set pinned = max(pinned, $pinned), ${written}
  where uuid = $uuid and project = $project and url = $url and version = $replaces and fetched_at <= $fetchedAt
  returning id`

function publishOne(
  db: Connection,
  project: number,
  { page, replaces }: Publication,
  body: Uint8Array,
): PublishResult {
  const values = { ...pages.values(page), heldBy: null, project, replaces }
  const id = db.get<{ id: number }>(replaces === 0 ? insertion : replacement, values)?.id
  if (id === undefined) {
    const repeated = db.get('select 1 from page where uuid = ? and version = ?', page.uuid, page.version)
    return repeated === undefined ? 'stale' : 'published'
  }
  db.run('insert or replace into page_content (page, body) values (?, ?)', id, body)
  addSources(db, project, id, page.sources)
  db.run('update project set indexed_at = ? where id = ? and indexed_at is null', page.fetchedAt, project)
  return 'published'
}

export function createPublishing(db: Connection): Pick<PageStore, 'publish' | 'seen'> {
  return {
    publish: async (uuid, fence, publications) => {
      const bodies = publications.map((publication) => toBody(publication.content))
      return db.write(() => {
        const project = fencedProject(db, uuid, fence)
        if (project === undefined) return publications.map(() => 'fenced')
        return publications.map((publication, at) => publishOne(db, project, publication, bodies[at]!))
      })
    },
    seen: async (uuid, fence, seen) => {
      db.write(() => {
        const project = fencedProject(db, uuid, fence)
        if (project === undefined) return
        for (const page of seen) {
          const row = db.get<{ id: number }>(
            'select id from page where uuid = ? and project = ?',
            page.uuid,
            project,
          )
          if (row === undefined) continue
          addSources(db, project, row.id, page.sources)
          db.run(
            `update page set fetched_at = ?1, etag = coalesce(?2, etag), last_modified = coalesce(?3, last_modified)
           where id = ?4 and fetched_at <= ?1`,
            page.fetchedAt,
            page.etag,
            page.lastModified,
            row.id,
          )
        }
      })
    },
  }
}
