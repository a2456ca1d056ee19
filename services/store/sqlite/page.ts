// Pages as they are read; publish.ts writes them, stale-pages.ts finds what a run at its end leaves of them.
import type { Page, PageStore, PageVersion } from '../page.ts'
import { endOfPrefix } from '../paging.ts'
import type { Connection } from './connection.ts'
import { readContent } from './page-content.ts'
import { createRemoval } from './page-removal.ts'
import { type PageRow, pageSelection, pages } from './page-row.ts'
import { createAssignment } from './page-sources.ts'
import { createSweep } from './page-sweep.ts'
import { createPublishing } from './publish.ts'
import { createStalePages } from './stale-pages.ts'
import { readPage } from './table.ts'

function inOrder(keys: string[], rows: PageRow[], key: 'url' | 'uuid'): (Page | null)[] {
  const found = new Map(rows.map((row) => [row[key], pages.toRow(row)]))
  return keys.map((wanted) => found.get(wanted) ?? null)
}

export function createPages(db: Connection): PageStore {
  return {
    ...createPublishing(db),
    ...createStalePages(db),
    ...createRemoval(db),
    ...createAssignment(db),
    ...createSweep(db),
    byUrls: async (project, urls) =>
      inOrder(
        urls,
        db.all<PageRow>(
          `${pageSelection} where project.uuid = ? and page.url in (select value from json_each(?))`,
          project,
          JSON.stringify(urls),
        ),
        'url',
      ),
    byUuids: async (uuids) =>
      inOrder(
        uuids,
        db.all<PageRow>(
          `${pageSelection} where page.uuid in (select value from json_each(?))`,
          JSON.stringify(uuids),
        ),
        'uuid',
      ),
    byContentHashes: async (project, hashes) =>
      db
        .all<PageRow>(
          `${pageSelection} where project.uuid = ? and page.content_hash in (select value from json_each(?))
         order by page.uuid`,
          project,
          JSON.stringify(hashes),
        )
        .map(pages.toRow),
    current: async (uuids) =>
      new Map(
        db
          .all<PageVersion>(
            `select page.uuid as page, page.version from json_each(?) wanted
           join page on page.uuid = wanted.value join project on project.id = page.project`,
            JSON.stringify(uuids),
          )
          .map((row) => [row.page, row.version]),
      ),
    content: async (uuid) => {
      const row = db.get<{ body: Uint8Array }>(
        `select page_content.body from page join project on project.id = page.project
       join page_content on page_content.page = page.id where page.uuid = ?`,
        uuid,
      )
      return row === undefined ? null : readContent(row.body)
    },
    count: async (project) =>
      db.get<{ n: number }>('select page_count as n from project where uuid = ?', project)?.n ?? 0,
    list: async (project, { urlPrefix = '', sourceUuid }, page) => {
      const range = 'where project.uuid = ? and page.url >= ? and page.url < ?'
      const listed = `and exists (select 1 from page_source join source on source.id = page_source.source
        where page_source.page = page.id and source.uuid = ?)`
      return readPage(
        db,
        pages,
        {
          from: `from project join page on page.project = project.id ${range} ${sourceUuid ? listed : ''}`,
          values: [project, urlPrefix, endOfPrefix(urlPrefix), ...(sourceUuid ? [sourceUuid] : [])],
          order: 'page.url',
        },
        page,
      )
    },
    scan: async (project, after, limit) =>
      db
        .all<PageRow>(
          `${pageSelection} where project.uuid = ? and page.uuid > ? order by page.uuid limit ?`,
          project,
          after ?? '',
          limit,
        )
        .map(pages.toRow),
  }
}
