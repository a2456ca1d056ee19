// Reads and writes pages, in one or more batches of the journal: publishes them, records that they are unchanged, and removes them.
import { randomUUID } from 'node:crypto'
import { indexedWrites } from './address.ts'
import { type Journal, mayWrite, type PageText, type ProjectState, toSet } from './journal.ts'
import {
  type Page,
  type PageContent,
  type PageStore,
  type Publication,
  type PublishResult,
  toFolder,
} from './page.ts'
import {
  isVisible,
  maxChanged,
  type PageRow,
  type PageRows,
  pageTable,
  remainingSources,
  type SweptRow,
  sweptId,
  sweptRows,
  sweptTable,
  toPage,
} from './page-rows.ts'
import { endOfPrefix } from './paging.ts'
import type { Answer, Filter, Rows } from './rows.ts'
import { type LiveRuns, runTable } from './run-store.ts'
import { createStalePages } from './stale-pages.ts'

/** The texts of pages in a driver. */
export interface PageTexts {
  /** Rejects with DomainError(invalid) if the text is too long. */
  pack(url: string, content: PageContent): Answer<Uint8Array>
  /** Null if it was deleted, because another version was published. */
  read(row: Pick<PageRow, 'uuid' | 'body'>): Promise<PageContent | null>
}

/** State of a batch of publications. Each publication sees the effects of the previous ones. */
interface Publishing {
  project: ProjectState
  sources: Set<string>
  rows: Map<string, PageRow>
  replaced: PageRow[]
  published: Map<string, PageRow>
}

/** Joins the page's sources and those that list it, without deleted ones. */
function joinSources(
  page: PageRow | null,
  listing: string[],
  { project, sources }: Pick<Publishing, 'project' | 'sources'>,
): string[] {
  const listed = listing.filter((source) => sources.has(source))
  return [...new Set([...(page === null ? [] : remainingSources(page, project)), ...listed])].toSorted()
}

/** The compare-and-set: replaces the row unless it was fetched later. */
function publishOne(publishing: Publishing, { page }: Publication, body: string): PublishResult {
  const { project, rows, replaced, published } = publishing
  const current = rows.get(page.uuid) ?? null
  if (current !== null && isVisible(current, project)) {
    const { fetchedAt, version } = current
    if (version === page.version) return 'published'
    if (fetchedAt > page.fetchedAt || (fetchedAt === page.fetchedAt && version > page.version)) return 'stale'
  }
  const row: PageRow = {
    ...page,
    folder: toFolder(page.url),
    project: project.uuid,
    sources: joinSources(current, page.sources, publishing),
    pinned: page.pinned || (current?.pinned ?? false),
    heldBy: current?.heldBy ?? null,
    body,
  }
  if (current !== null) replaced.push(current)
  rows.set(page.uuid, row)
  published.set(page.uuid, row)
  return 'published'
}

/** Fields of a page that determine its visibility and version. */
const visibility = ['uuid', 'project', 'pinned', 'sources', 'version', 'body'] as const
type Visibility = (typeof visibility)[number]

export function createPages(
  pageRows: PageRows,
  swept: Rows<SweptRow>,
  texts: PageTexts,
  journal: Journal,
  live: LiveRuns,
): PageStore {
  const { pages, addresses } = pageRows

  async function inProject(
    uuid: string,
    filter: Filter<PageRow>,
    order?: string,
    limit?: number,
  ): Promise<Page[]> {
    const project = await journal.project(uuid)
    if (project === null) return []
    const wanted = { ...(await pageRows.visibleIn(project)), ...filter }
    const rows = await pages.all(wanted, order, limit === undefined ? undefined : { limit })
    return rows.map((row) => toPage(row, project))
  }

  /** Visible pages, in any order. Reads pages before projects: a project that exists afterwards existed before. */
  async function visible<Row extends Pick<PageRow, Visibility>>(rows: Row[]) {
    const projects = await journal.projects(rows.map((row) => row.project))
    return rows.flatMap((row) => {
      const project = projects.get(row.project)
      return project !== undefined && isVisible(row, project) ? [{ row, project }] : []
    })
  }
  const visibilityOf = async (uuids: string[]) =>
    visible(await pages.pick({ uuid: { $in: uuids } }, [...visibility]))

  const byUuids: PageStore['byUuids'] = async (uuids) => {
    const rows = await visible(await pages.all({ uuid: { $in: uuids } }))
    const found = new Map(rows.map(({ row, project }) => [row.uuid, toPage(row, project)]))
    return uuids.map((uuid) => found.get(uuid) ?? null)
  }

  return {
    ...createStalePages(pageRows, journal, live, byUuids),
    publish: async (uuid, fence, publications) => {
      const fenced = publications.map((): PublishResult => 'fenced')
      const packed = await Promise.all(publications.map(({ page, content }) => texts.pack(page.url, content)))
      const results = await journal.write(uuid, async (project) => {
        if (!mayWrite(project, fence)) return { result: fenced }
        const uuids = publications.map(({ page }) => page.uuid)
        const [rows, sources] = await Promise.all([
          pages.all({ uuid: { $in: uuids } }),
          pageRows.sourcesIn(project),
        ])
        const byUuid = new Map(rows.map((row) => [row.uuid, row]))
        const publishing: Publishing = { project, sources, rows: byUuid, replaced: [], published: new Map() }
        const bodies = uuids.map((page, at): PageText => ({ uuid: randomUUID(), page, text: packed[at]! }))
        const result = publications.map((each, at) => publishOne(publishing, each, bodies[at]!.uuid))
        const { published, replaced } = publishing
        const [first] = published.values()
        if (first === undefined) return { result }
        return {
          result,
          // Writes pages first and deletes old texts afterwards: see removalWrites.
          writes: [
            { to: pageTable, put: [...published.values()] },
            { to: sweptTable, insert: sweptRows(replaced, project) },
            { oldTexts: replaced.map((page) => page.uuid) },
            ...(await indexedWrites(addresses, uuid, published.values())),
          ],
          project: { indexedAt: project.indexedAt ?? first.fetchedAt },
          texts: bodies.filter((body) => published.get(body.page)?.body === body.uuid),
        }
      })
      return results ?? fenced
    },
    seen: async (uuid, fence, seen) => {
      await journal.write(uuid, async (project) => {
        if (!mayWrite(project, fence)) return { result: undefined }
        const byUuid = new Map(seen.map((page) => [page.uuid, page]))
        const [rows, sources] = await Promise.all([
          pageRows.visible(project, [...byUuid.keys()]),
          pageRows.sourcesIn(project),
        ])
        const changed = rows.map((row) => {
          const page = byUuid.get(row.uuid)!
          return {
            uuid: row.uuid,
            url: row.url,
            sources: joinSources(row, page.sources, { project, sources }),
            fetchedAt: page.fetchedAt > row.fetchedAt ? page.fetchedAt : row.fetchedAt,
          }
        })
        const set = changed.map(({ url, ...fields }) => fields)
        const indexed = await indexedWrites(addresses, uuid, changed)
        return { result: undefined, writes: [...toSet(pageTable, set), ...indexed] }
      })
    },
    remove: async (uuid, fence, uuids) => {
      let removed = 0
      await journal.inChunks(uuids, maxChanged, async (chunk) => {
        const count = await journal.write(uuid, async (project) => {
          if (!mayWrite(project, fence)) return { result: null }
          const rows = await pageRows.visible(project, chunk)
          if (rows.length === 0) return { result: 0 }
          const writes = await pageRows.removalWrites(rows, project)
          const run = fence === null ? null : await live.find(project.liveRun)
          if (run === null) return { result: rows.length, writes }
          const counts = { ...run.pages, removed: run.pages.removed + rows.length }
          const counted = { uuid: run.uuid, pages: counts }
          return { result: rows.length, writes: [...writes, ...toSet(runTable, [counted])] }
        })
        removed += count ?? 0
        return count !== null
      })
      return removed
    },
    byUuids,
    byUrls: async (project, urls) => {
      const found = await inProject(project, { url: { $in: urls } })
      const byUrl = new Map(found.map((page) => [page.url, page]))
      return urls.map((url) => byUrl.get(url) ?? null)
    },
    byContentHashes: async (project, hashes) => {
      // Sorts here: with an order, SQLite would read all pages by uuid instead of using the index of hashes.
      const found = await inProject(project, { contentHash: { $in: hashes } })
      return found.toSorted((a, b) => (a.uuid < b.uuid ? -1 : 1))
    },
    current: async (uuids) => new Map((await visibilityOf(uuids)).map(({ row }) => [row.uuid, row.version])),
    content: async (uuid) => {
      let missed: string | null = null
      for (;;) {
        const row = (await visibilityOf([uuid]))[0]?.row
        if (row === undefined || row.body === missed) return null
        const content = await texts.read(row)
        if (content !== null) return content
        missed = row.body
      }
    },
    count: async (uuid) => {
      const project = await journal.project(uuid)
      return project === null ? 0 : pages.count(await pageRows.visibleIn(project))
    },
    languages: async (uuid) => {
      const project = await journal.project(uuid)
      const found = project === null ? [] : await pages.values(await pageRows.visibleIn(project), 'language')
      return found.filter((language) => language !== null).sort()
    },
    inFolder: (project, folder, limit) =>
      inProject(project, { folder, url: { $gte: folder, $lt: endOfPrefix(folder) } }, 'url', limit),
    scan: (project, after, limit) => inProject(project, { uuid: { $gt: after ?? '' } }, 'uuid', limit),
    swept: async (project, limit) => {
      if ((await journal.settled(project)) === null) return []
      const rows = await swept.all({ project }, 'batch place', { limit })
      return rows.map(({ page, version }) => ({ page, version }))
    },
    forget: async (project, versions) => {
      const writes = [{ to: sweptTable, erase: versions.map(sweptId) }]
      await journal.write(project, () => ({ result: undefined, writes }))
    },
  }
}
