// Reads pages. publish.ts writes them.
import type { Filter, FindOptions } from 'mongodb'
import type { Page, PageStore } from '../page.ts'
import { createStalePages } from '../stale-pages.ts'
import type { MongoDb } from './connection.ts'
import { bodyRows, type Journal, openProjects, readProject } from './journal.ts'
import { isVisible, type PageRow, pageRows, type SweptRow, sweptId, toPage } from './page-row.ts'
import { createPublishing, readBody } from './publish.ts'
import { findByIds } from './row.ts'
import type { LiveRuns } from './run-row.ts'
import { visibleIn } from './source.ts'
import { createListedPages } from './stale-pages.ts'

/** Fields of a page that determine its visibility and version. */
const visibility = { project: 1, state: 1, pinned: 1, sources: 1, version: 1, body: 1 } as const

export function createPages(db: MongoDb, journal: Journal, live: LiveRuns): PageStore {
  const pages = pageRows(db)
  const sweepQueue = db.collection<SweptRow>('swept_versions')

  async function inProject(uuid: string, filter: Filter<PageRow>, options?: FindOptions): Promise<Page[]> {
    const project = await readProject(db, uuid)
    if (project === null) return []
    const rows = await pages.find({ ...(await visibleIn(db, project)), ...filter }, options).toArray()
    return rows.map((row) => toPage(row, project))
  }

  /** Visible pages, in any order. Reads pages before projects: a project that exists afterwards existed before. */
  async function visible(uuids: string[], projection?: typeof visibility) {
    const rows = await findByIds(pages, uuids, projection)
    const projects = rows.map((row) => row.project)
    const open = await openProjects(db, projects)
    return rows.flatMap((row) => {
      const project = open.get(row.project)
      return project !== undefined && isVisible(row, project) ? [{ row, project }] : []
    })
  }

  const byUuids: PageStore['byUuids'] = async (uuids) => {
    const rows = await visible(uuids)
    const found = new Map(rows.map(({ row, project }) => [row._id, toPage(row, project)]))
    return uuids.map((uuid) => found.get(uuid) ?? null)
  }

  return {
    ...createPublishing(db, journal),
    ...createStalePages(createListedPages(db, journal, live), byUuids),
    byUuids,
    byUrls: async (project, urls) => {
      const found = await inProject(project, { url: { $in: urls } })
      const byUrl = new Map(found.map((page) => [page.url, page]))
      return urls.map((url) => byUrl.get(url) ?? null)
    },
    byContentHashes: (project, hashes) =>
      inProject(project, { contentHash: { $in: hashes } }, { sort: { _id: 1 } }),
    current: async (uuids) =>
      new Map((await visible(uuids, visibility)).map(({ row }) => [row._id, row.version])),
    content: async (uuid) => {
      let missed: string | null = null
      for (;;) {
        const body = (await visible([uuid], visibility))[0]?.row.body ?? null
        if (body === null || body === missed) return null
        const text = (await bodyRows(db).findOne({ _id: body }, { promoteBuffers: true }))?.text
        if (text !== undefined) return readBody(text)
        // Deleted, because another version was published meanwhile.
        missed = body
      }
    },
    count: async (uuid) => {
      const project = await readProject(db, uuid)
      return project === null ? 0 : pages.countDocuments(await visibleIn(db, project))
    },
    languages: async (uuid) => {
      const project = await readProject(db, uuid)
      if (project === null) return []
      const found = await pages.distinct('language', {
        ...(await visibleIn(db, project)),
        language: { $ne: null },
      })
      return (found as string[]).sort()
    },
    inFolder: (project, folder, limit) => inProject(project, { folder }, { sort: { url: 1 }, limit }),
    scan: (project, after, limit) =>
      inProject(project, { _id: { $gt: after ?? '' } }, { sort: { _id: 1 }, limit }),
    swept: async (project, limit) => {
      if ((await journal.settled(project)) === null) return []
      const rows = await sweepQueue.find({ project }).sort({ seq: 1, place: 1 }).limit(limit).toArray()
      return rows.map(({ page, version }) => ({ page, version }))
    },
    forget: async (project, versions) => {
      const erase = versions.map(({ page, version }) => sweptId(page, version))
      await journal.write(project, async () => ({
        result: undefined,
        writes: [{ to: 'swept_versions', erase }],
      }))
    },
  }
}
