// Pages as they are read; publish.ts writes them, judgement.ts says what a run at its end leaves of them.
import type { Page, PageStore, PageVersion } from '../page.ts'
import type { Connection } from './connection.ts'
import { createJudgement } from './judgement.ts'
import { readContent } from './page-content.ts'
import { type PageRow, pageSelection, toPage } from './page-row.ts'
import { createPublishing } from './publish.ts'

const inOrder = (keys: string[], rows: PageRow[], key: 'url' | 'uuid'): (Page | null)[] => {
  const found = new Map(rows.map((row) => [row[key], toPage(row)]))
  return keys.map((wanted) => found.get(wanted) ?? null)
}

export const createPages = (db: Connection): PageStore => ({
  ...createPublishing(db),
  ...createJudgement(db),
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
      .map(toPage),
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
  scan: async (project, after, limit) =>
    db
      .all<PageRow>(
        `${pageSelection} where project.uuid = ? and page.uuid > ? order by page.uuid limit ?`,
        project,
        after ?? '',
        limit,
      )
      .map(toPage),
  swept: async (project, limit) =>
    db
      .all<PageVersion>(
        `select swept.page, swept.version from project join swept on swept.project = project.id
         where project.uuid = ? order by swept.id limit ?`,
        project,
        limit,
      )
      .map((row) => ({ ...row })),
  forget: async (project, versions) => {
    db.write(() => {
      for (const { page, version } of versions)
        db.run(
          `delete from swept where page = ? and version = ? and project = (select id from project where uuid = ?)`,
          page,
          version,
          project,
        )
    })
  },
})
