// Published pages with their text, and the versions that are left to sweep. stale-pages.ts has what a run at its end does.
import type { Page, PageContent, PageStore, PageVersion, Publication, PublishResult } from '../page.ts'
import { endOfPrefix } from '../paging.ts'
import type { Connection } from './connection.ts'
import { findFencedProject } from './run.ts'
import { createTable, readAll, readPage } from './table.ts'

/** Pages with their project and their sources, of those that exist. */
export const pages = createTable<Page>('page', {
  plain:
    'uuid team url version fetchedAt contentHash pipeline etag lastModified title language docVersion sourceType heldBy',
  json: 'sources',
  flag: 'pinned',
  elsewhere: {
    project: 'project.uuid',
    sources: `(select json_group_array(source.uuid order by source.uuid) from page_source
      join source on source.id = page_source.source where page_source.page = page.id)`,
  },
})

/** Conditions are appended. */
export const joinedPages = 'from project join page on page.project = project.id'

const insertion = `insert into page (project, ${pages.names}) values ($project, ${pages.parameters})
  on conflict do nothing returning id`
const written = pages.set(
  'version fetchedAt contentHash pipeline etag lastModified title language docVersion sourceType',
)
/** The compare-and-set: the row changes only if its version is the one replaced and it was not fetched later. */
const replacement = `update page set pinned = max(pinned, $pinned), ${written}
  where uuid = $uuid and project = $project and url = $url and version = $replaces and fetched_at <= $fetchedAt
  returning id`

// Contents are JSON in UTF-8. Not compressed: zstd at its fastest costs two to three times the processor time of writing the
// larger row, and reading it back is slower too.
const decoder = new TextDecoder()

/** What stale-pages.ts adds. */
export type StalePageMethods = 'pinnedUnlisted' | 'unlisted' | 'hold' | 'remove' | 'assignSources'

export function createPages(db: Connection): Omit<PageStore, StalePageMethods> {
  /** Adds to the sources of a page. A source that is gone meanwhile, and `pinned`, have no row. */
  function addSources(project: number, page: number, sources: string[]): void {
    for (const source of sources)
      db.run(
        'insert or ignore into page_source (page, source) select ?, id from source where uuid = ? and project = ?',
        page,
        source,
        project,
      )
  }

  function publishOne(project: number, { page, replaces }: Publication, body: Uint8Array): PublishResult {
    const values = { ...pages.values(page), heldBy: null, project, replaces }
    const id = db.get<{ id: number }>(replaces === 0 ? insertion : replacement, values)?.id
    if (id === undefined) {
      const repeated = db.get('select 1 from page where uuid = ? and version = ?', page.uuid, page.version)
      return repeated === undefined ? 'stale' : 'published'
    }
    db.run('insert or replace into page_content (page, body) values (?, ?)', id, body)
    addSources(project, id, page.sources)
    db.run('update project set indexed_at = ? where id = ? and indexed_at is null', page.fetchedAt, project)
    return 'published'
  }

  function inOrder(keys: string[], rows: Page[], key: 'url' | 'uuid'): (Page | null)[] {
    const found = new Map(rows.map((row) => [row[key], row]))
    return keys.map((wanted) => found.get(wanted) ?? null)
  }

  return {
    publish: async (uuid, fence, publications) => {
      const bodies = publications.map(({ content }) => Buffer.from(JSON.stringify(content)))
      return db.write(() => {
        const project = findFencedProject(db, uuid, fence)
        if (project === undefined) return publications.map(() => 'fenced')
        return publications.map((publication, at) => publishOne(project, publication, bodies[at]!))
      })
    },
    seen: async (uuid, fence, seen) => {
      db.write(() => {
        const project = findFencedProject(db, uuid, fence)
        if (project === undefined) return
        for (const page of seen) {
          const find = 'select id from page where uuid = ? and project = ?'
          const row = db.get<{ id: number }>(find, page.uuid, project)
          if (row === undefined) continue
          addSources(project, row.id, page.sources)
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
    byUrls: async (project, urls) => {
      const from = `${joinedPages} where project.uuid = ? and page.url in (select value from json_each(?))`
      return inOrder(urls, readAll(db, pages, from, project, JSON.stringify(urls)), 'url')
    },
    byUuids: async (uuids) => {
      const from = `${joinedPages} where page.uuid in (select value from json_each(?))`
      return inOrder(uuids, readAll(db, pages, from, JSON.stringify(uuids)), 'uuid')
    },
    byContentHashes: async (project, hashes) => {
      const from = `${joinedPages} where project.uuid = ? and page.content_hash in (select value from json_each(?))
        order by page.uuid`
      return readAll(db, pages, from, project, JSON.stringify(hashes))
    },
    current: async (uuids) => {
      const rows = db.all<PageVersion>(
        `select page.uuid as page, page.version from json_each(?) wanted
         join page on page.uuid = wanted.value join project on project.id = page.project`,
        JSON.stringify(uuids),
      )
      return new Map(rows.map((row) => [row.page, row.version]))
    },
    content: async (uuid) => {
      const row = db.get<{ body: Uint8Array }>(
        `select page_content.body ${joinedPages} join page_content on page_content.page = page.id where page.uuid = ?`,
        uuid,
      )
      return row === undefined ? null : (JSON.parse(decoder.decode(row.body)) as PageContent)
    },
    count: async (project) =>
      db.get<{ n: number }>(
        'select count(*) as n from page where project = (select id from project where uuid = ?)',
        project,
      )!.n,
    list: async (project, { urlPrefix = '', sourceUuid }, page) => {
      const range = 'where project.uuid = ? and page.url >= ? and page.url < ?'
      const listed = `and exists (select 1 from page_source join source on source.id = page_source.source
        where page_source.page = page.id and source.uuid = ?)`
      const from = `${joinedPages} ${range} ${sourceUuid ? listed : ''}`
      const values = [project, urlPrefix, endOfPrefix(urlPrefix), ...(sourceUuid ? [sourceUuid] : [])]
      return readPage(db, pages, { from, values, order: 'page.url' }, page)
    },
    scan: async (project, after, limit) => {
      const from = `${joinedPages} where project.uuid = ? and page.uuid > ? order by page.uuid limit ?`
      return readAll(db, pages, from, project, after ?? '', limit)
    },
    swept: async (project, limit) =>
      db.all<PageVersion>(
        `select swept.page, swept.version from project join swept on swept.project = project.id
         where project.uuid = ? order by swept.id limit ?`,
        project,
        limit,
      ),
    forget: async (project, versions) => {
      db.write(() => {
        for (const { page, version } of versions)
          db.run(
            'delete from swept where page = ? and version = ? and project = (select id from project where uuid = ?)',
            page,
            version,
            project,
          )
      })
    },
  }
}
