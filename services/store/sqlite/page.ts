// Published pages with their texts, and the queue of versions to sweep.
import { addressStatuses } from '../address.ts'
import type { Page, PageContent, PageStore, PageVersion, Publication, PublishResult } from '../page.ts'
import { endOfPrefix } from '../paging.ts'
import { createStalePages } from '../stale-pages.ts'
import { pending, writeAddress } from './address.ts'
import { type Connection, yieldToWriters } from './connection.ts'
import { addCounts, findFencedProject } from './run.ts'
import { createListedPages, existingSources } from './stale-pages.ts'
import { createRows, createTable } from './table.ts'

/** Pages with their project and their existing sources. */
const pageTable = createTable<Page>(
  {
    name: 'page',
    fields: `uuid url sources:json pinned:flag version:int fetchedAt contentHash pipeline etag? lastModified? title language?
      docVersion? sourceType heldBy?`,
    isOfProject: true,
    indexes: ['project uuid', 'project contentHash', 'project language'],
  },
  {
    extra: ['id integer primary key autoincrement', 'unique (project, url)'],
    elsewhere: { sources: existingSources },
  },
)

export const pageSchema = `
${pageTable.sql}
create index page_pinned on page (project, uuid) where pinned = 1;
create index page_held on page (project, uuid) where held_by is not null;

create table page_content (
  page integer primary key references page (id) on delete cascade,
  body blob not null
) strict;

create table page_source (
  page integer not null references page (id) on delete cascade,
  source integer not null,
  primary key (page, source)
) strict, without rowid;
create index page_source_by_source on page_source (source, page);

-- Versions that no reader sees any more, in the order in which they went.
create table swept (
  id integer primary key autoincrement,
  project integer not null,
  page text not null,
  version integer not null,
  unique (page, version)
) strict;
create index swept_of_project on swept (project, id);

create trigger page_replaced after update of version on page when old.version <> new.version begin
  insert or ignore into swept (project, page, version) values (old.project, old.uuid, old.version);
end;
create trigger page_removed after delete on page begin
  insert or ignore into swept (project, page, version)
    select id, old.uuid, old.version from project where id = old.project;
  delete from address where project = old.project and url = old.url
    and (run is null or run is not (select live_run from project where id = old.project));
  update address set status = ${pending} where project = old.project and url = old.url
    and status = ${addressStatuses.indexOf('indexed')};
end;
`

/** The compare-and-set: replaces the row unless it was fetched later. */
const publication = `insert into page (project, ${pageTable.names}) values ($project, ${pageTable.parameters})
  on conflict do update set pinned = max(pinned, $pinned),
    ${pageTable.set('version fetchedAt contentHash pipeline etag lastModified title language docVersion sourceType')}
  where uuid = $uuid and project = $project and (fetched_at, version) < ($fetchedAt, $version)
  returning id`

// Contents are uncompressed JSON in UTF-8: even the fastest zstd takes two to three times the CPU time of writing the larger row,
// and reading is slower too.
const decoder = new TextDecoder()

/** Pages removed per transaction. */
const chunkSize = 200

export function createPages(db: Connection): PageStore {
  const pages = createRows(db, pageTable)

  /** Adds sources to a page. Ignores deleted sources, and `pinned`, which is not a source. */
  function addSources(project: number, page: number, sources: string[]): void {
    for (const source of sources)
      db.run(
        'insert or ignore into page_source (page, source) select ?, id from source where uuid = ? and project = ?',
        [page, source, project],
      )
  }

  function publishOne(project: number, { page }: Publication, body: Uint8Array): PublishResult {
    const values = { ...pageTable.values(page), heldBy: null, project }
    const id = db.get<{ id: number }>(publication, values)?.id
    if (id === undefined) {
      const repeated = db.get('select 1 from page where uuid = ? and version = ?', [page.uuid, page.version])
      return repeated === undefined ? 'stale' : 'published'
    }
    db.run('insert or replace into page_content (page, body) values (?, ?)', [id, body])
    addSources(project, id, page.sources)
    writeAddress(db, project, page.url)
    db.run('update project set indexed_at = ? where id = ? and indexed_at is null', [page.fetchedAt, project])
    return 'published'
  }

  function readByKey(key: 'url' | 'uuid', keys: string[], filter: Partial<Page> = {}): (Page | null)[] {
    const rows = pages.all({ ...filter, [key]: { $in: keys } })
    const byKey = new Map(rows.map((page) => [page[key], page]))
    return keys.map((each) => byKey.get(each) ?? null)
  }

  const byUuids: PageStore['byUuids'] = async (uuids) => readByKey('uuid', uuids)

  return {
    ...createStalePages(createListedPages(db), byUuids),
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
        for (const { uuid, sources, fetchedAt } of seen) {
          const find = 'select id, url from page where uuid = ? and project = ?'
          const row = db.get<{ id: number; url: string }>(find, [uuid, project])
          if (row === undefined) continue
          writeAddress(db, project, row.url)
          addSources(project, row.id, sources)
          db.run('update page set fetched_at = max(fetched_at, ?) where id = ?', [fetchedAt, row.id])
        }
      })
    },
    byUrls: async (project, urls) => readByKey('url', urls, { project }),
    remove: async (uuid, fence, uuids) => {
      const sql = 'delete from page where project = ? and uuid in (select value from json_each(?))'
      let removed = 0
      for (let at = 0; at < uuids.length; at += chunkSize) {
        const isFenced = db.write(() => {
          const project = findFencedProject(db, uuid, fence)
          if (project === undefined) return true
          const count = db.run(sql, [project, JSON.stringify(uuids.slice(at, at + chunkSize))])
          removed += count
          const { run } = db.get<{ run: number }>('select live_run as run from project where id = ?', [
            project,
          ])!
          if (fence !== null) addCounts(db, run, { removed: count })
          return false
        })
        if (isFenced) break
        await yieldToWriters()
      }
      return removed
    },
    byUuids,
    byContentHashes: async (project, hashes) => pages.all({ project, contentHash: { $in: hashes } }, 'uuid'),
    current: async (uuids) => {
      const rows = db.all<PageVersion>(
        `select page.uuid as page, page.version from json_each(?) wanted
         join page on page.uuid = wanted.value join project on project.id = page.project`,
        [JSON.stringify(uuids)],
      )
      return new Map(rows.map((row) => [row.page, row.version]))
    },
    content: async (uuid) => {
      const row = db.get<{ body: Uint8Array }>(
        `select page_content.body ${pageTable.from} join page_content on page_content.page = page.id where page.uuid = ?`,
        [uuid],
      )
      return row === undefined ? null : (JSON.parse(decoder.decode(row.body)) as PageContent)
    },
    count: async (project) =>
      db.count('from page where project = (select id from project where uuid = ?)', [project]),
    languages: async (project) =>
      // Skips through the index from one language to the next, regardless of the number of pages.
      db
        .all<{ language: string }>(
          `with recursive found (language) as (
             select (select min(language) from page where project = (select id from project where uuid = ?1))
             union all
             select (select min(page.language) from page
               where project = (select id from project where uuid = ?1) and page.language > found.language)
             from found where found.language is not null)
           select language from found where language is not null`,
          [project],
        )
        .map(({ language }) => language),
    inFolder: async (project, folder, limit) =>
      pages.select(
        `where project.uuid = ?1 and page.url >= ?2 and page.url < ?3 and instr(substr(page.url, length(?2) + 1), '/') = 0
         order by page.url limit ?4`,
        [project, folder, endOfPrefix(folder), limit],
      ),
    scan: async (project, after, limit) =>
      pages.all({ project, uuid: { $gt: after ?? '' } }, 'uuid', { limit }),
    swept: async (project, limit) =>
      db.all<PageVersion>(
        `select swept.page, swept.version from project join swept on swept.project = project.id
         where project.uuid = ? order by swept.id limit ?`,
        [project, limit],
      ),
    forget: async (project, versions) => {
      const sql =
        'delete from swept where page = ? and version = ? and project = (select id from project where uuid = ?)'
      db.write(() => {
        for (const { page, version } of versions) db.run(sql, [page, version, project])
      })
    },
  }
}
