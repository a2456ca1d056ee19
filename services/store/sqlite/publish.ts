// Publishing pages, and noting that they are unchanged.
import type { Page, PageStore, Publication, PublishResult } from '../page.ts'
import type { Connection } from './connection.ts'
import { toBody } from './page-content.ts'
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

/** The columns of a page that a publication writes, and what goes into each. */
const written: Record<string, (page: Page) => string | number | null> = {
  pinned: (page) => Number(page.pinned),
  version: (page) => page.version,
  fetched_at: (page) => page.fetchedAt,
  content_hash: (page) => page.contentHash,
  pipeline: (page) => page.pipeline,
  etag: (page) => page.etag,
  last_modified: (page) => page.lastModified,
  title: (page) => page.title,
  language: (page) => page.language,
  doc_version: (page) => page.docVersion,
  source_type: (page) => page.sourceType,
}
const columns = Object.keys(written)
const valuesOf = (page: Page) => Object.values(written).map((read) => read(page))

const insertion = `insert into page (uuid, team, project, url, ${columns})
  values (?, ?, ?, ?, ${columns.map(() => '?')}) on conflict do nothing returning id`

function insert(db: Connection, project: number, page: Page): number | undefined {
  return db.get<{ id: number }>(insertion, page.uuid, page.team, project, page.url, ...valuesOf(page))?.id
}

/** The compare-and-set: the row changes only if its version is the one replaced and it was not fetched later. */
const replacement = `update page set (${columns}) = (${columns.map((name) => (name === 'pinned' ? 'max(pinned, ?)' : '?'))})
  where uuid = ? and project = ? and url = ? and version = ? and fetched_at <= ? returning id`

function replace(db: Connection, project: number, page: Page, replaces: number): number | undefined {
  return db.get<{ id: number }>(
    replacement,
    ...valuesOf(page),
    page.uuid,
    project,
    page.url,
    replaces,
    page.fetchedAt,
  )?.id
}

function publishOne(
  db: Connection,
  project: number,
  { page, replaces }: Publication,
  body: Uint8Array,
): PublishResult {
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
  }
}
