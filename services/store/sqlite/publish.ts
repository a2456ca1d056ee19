// Publishing pages, and noting that they are unchanged (design.md, "Publishing a page").
import type { Page, PageStore, Publication, PublishResult } from '../page.ts'
import type { Connection } from './connection.ts'
import { fencedProject } from './live.ts'
import { toBody } from './page-content.ts'

/** Joins the page's sources with the stored ones; a source that is gone meanwhile, and `pinned`, have no row. */
const addSources = (db: Connection, project: number, page: number, sources: string[]): void => {
  for (const source of sources)
    db.run(
      'insert or ignore into page_source (page, source) select ?, id from source where uuid = ? and project = ?',
      page,
      source,
      project,
    )
}

const insert = (db: Connection, project: number, page: Page): number | undefined =>
  db.get<{ id: number }>(
    `insert into page (uuid, team, project, url, pinned, version, fetched_at, content_hash, pipeline, etag,
       last_modified, title, language, doc_version, source_type)
     values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) on conflict do nothing returning id`,
    page.uuid,
    page.team,
    project,
    page.url,
    Number(page.pinned),
    page.version,
    page.fetchedAt,
    page.contentHash,
    page.pipeline,
    page.etag,
    page.lastModified,
    page.title,
    page.language,
    page.docVersion,
    page.sourceType,
  )?.id

/** The compare-and-set: the row changes only if its version is the one replaced and it was not fetched later. */
const replace = (db: Connection, project: number, page: Page, replaces: number): number | undefined =>
  db.get<{ id: number }>(
    `update page set pinned = max(pinned, ?1), version = ?2, fetched_at = ?3, content_hash = ?4, pipeline = ?5, etag = ?6,
       last_modified = ?7, title = ?8, language = ?9, doc_version = ?10, source_type = ?11
     where uuid = ?12 and project = ?13 and url = ?14 and version = ?15 and fetched_at <= ?3 returning id`,
    Number(page.pinned),
    page.version,
    page.fetchedAt,
    page.contentHash,
    page.pipeline,
    page.etag,
    page.lastModified,
    page.title,
    page.language,
    page.docVersion,
    page.sourceType,
    page.uuid,
    project,
    page.url,
    replaces,
  )?.id

const publishOne = (
  db: Connection,
  project: number,
  { page, replaces }: Publication,
  body: Uint8Array,
): PublishResult => {
  const id = replaces === 0 ? insert(db, project, page) : replace(db, project, page, replaces)
  if (id === undefined) {
    const repeated = db.get('select 1 from page where uuid = ? and version = ?', page.uuid, page.version)
    return repeated === undefined ? 'stale' : 'published'
  }
  db.run('insert or replace into page_content (page, body) values (?, ?)', id, body)
  addSources(db, project, id, page.sources)
  db.run('update project set indexed_at = ? where id = ? and indexed_at is null', page.fetchedAt, project)
  return 'published'
}

export const createPublishing = (db: Connection): Pick<PageStore, 'publish' | 'seen'> => ({
  publish: async (uuid, fence, publications) => {
    const bodies = publications.map((publication) => toBody(publication.content))
    return db.write(() => {
      const project = fencedProject(db, uuid, fence)
      if (project === undefined) return publications.map(() => 'fenced')
      return publications.map((publication, at) => publishOne(db, project, publication, bodies[at]!))
    })
  },
  seen: async (uuid, fence, pages) => {
    db.write(() => {
      const project = fencedProject(db, uuid, fence)
      if (project === undefined) return
      for (const page of pages) {
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
})
