// Pages as they are read; publish.ts writes them, stale-pages.ts finds what a run at its end leaves of them.
import type { Filter } from 'mongodb'
import type { Page, PageStore } from '../page.ts'
import { endOfPrefix } from '../paging.ts'
import type { MongoDb } from './connection.ts'
import { type Journal, type JournalRow, type OpenProject, toOpenProject } from './journal.ts'
import { bodies } from './journal-batch.ts'
import { readText } from './page-content.ts'
import { createRemoval } from './page-removal.ts'
import { isVisible, type PageRow, pageRows, toPage } from './page-row.ts'
import { createAssignment } from './page-sources.ts'
import { createSweep } from './page-sweep.ts'
import { createPublishing } from './publish.ts'
import type { LiveRuns } from './run-row.ts'
import { createStalePages } from './stale-pages.ts'

/** Fields of a page that say whether readers see it, and at which version. */
const visibility = { project: 1, state: 1, pinned: 1, sources: 1, version: 1, body: 1 } as const

export function createPages(db: MongoDb, journal: Journal, live: LiveRuns): PageStore {
  const projects = db.collection<JournalRow>('projects')
  const pages = pageRows(db)

  /** Those of the projects that are there. One that has a batch linked is read as it is. */
  async function openProjects(uuids: Iterable<string>): Promise<Map<string, OpenProject>> {
    const rows = await projects.find({ _id: { $in: [...new Set(uuids)] } }).toArray()
    return new Map(rows.flatMap((row) => (row.state === 'open' ? [[row._id, toOpenProject(row)]] : [])))
  }

  async function inProject(project: string, filter: Filter<PageRow>): Promise<Page[]> {
    const [open, rows] = await Promise.all([
      openProjects([project]),
      pages.find({ project, ...filter }).toArray(),
    ])
    const leaving = open.get(project)?.leaving
    if (leaving === undefined) return []
    return rows.filter((row) => isVisible(row, leaving)).map((row) => toPage(row, leaving))
  }

  /** Rows that readers see, in no order, with their project's. Pages first: a project seen after them was there with them. */
  async function visible(uuids: string[], projection?: typeof visibility) {
    const rows = await pages.find({ _id: { $in: uuids } }, projection && { projection }).toArray()
    const open = await openProjects(rows.map((row) => row.project))
    return rows.flatMap((row) => {
      const leaving = open.get(row.project)?.leaving
      return leaving !== undefined && isVisible(row, leaving) ? [{ row, leaving }] : []
    })
  }

  return {
    ...createPublishing(db, journal),
    ...createStalePages(db, live),
    ...createRemoval(db, journal),
    ...createAssignment(db, journal, live),
    ...createSweep(db, journal),
    byUrls: async (project, urls) => {
      const found = new Map(
        (await inProject(project, { url: { $in: urls } })).map((page) => [page.url, page]),
      )
      return urls.map((url) => found.get(url) ?? null)
    },
    byUuids: async (uuids) => {
      const rows = await visible(uuids)
      const found = new Map(rows.map(({ row, leaving }) => [row._id, toPage(row, leaving)]))
      return uuids.map((uuid) => found.get(uuid) ?? null)
    },
    byContentHashes: async (project, hashes) =>
      (await inProject(project, { contentHash: { $in: hashes } })).toSorted(byUuid),
    current: async (uuids) =>
      new Map((await visible(uuids, visibility)).map(({ row }) => [row._id, row.version])),
    content: async (uuid) => {
      let missed: string | null = null
      for (;;) {
        const body = (await visible([uuid], visibility))[0]?.row.body ?? null
        if (body === null || body === missed) return null
        const text = (await bodies(db).findOne({ _id: body }, { promoteBuffers: true }))?.text
        if (text !== undefined) return readText(text)
        // It went when another version was published just now.
        missed = body
      }
    },
    count: async (project) => (await openProjects([project])).get(project)?.pageCount ?? 0,
    list: async (project, { urlPrefix = '', sourceUuid }, { offset, limit }) => {
      const leaving = (await openProjects([project])).get(project)?.leaving
      if (leaving === undefined || (sourceUuid !== undefined && leaving.includes(sourceUuid)))
        return { count: 0, rows: [] }
      const filter: Filter<PageRow> = {
        project,
        state: 'current',
        url: { $gte: urlPrefix, $lt: endOfPrefix(urlPrefix) },
        ...(sourceUuid !== undefined && { sources: sourceUuid }),
        // While a source is being deleted, pages that no other source lists exist but are not visible.
        ...(leaving.length > 0 && {
          $or: [{ pinned: true }, { sources: [] }, { sources: { $elemMatch: { $nin: leaving } } }],
        }),
      }
      const rows = pages.find(filter).sort({ url: 1 }).skip(offset).limit(limit)
      return {
        count: await pages.countDocuments(filter),
        rows: (await rows.toArray()).map((row) => toPage(row, leaving)),
      }
    },
    scan: async (project, after, limit) => {
      const leaving = (await openProjects([project])).get(project)?.leaving
      if (leaving === undefined) return []
      const rows = pages.find({ project, state: 'current', _id: { $gt: after ?? '' } }).sort({ _id: 1 })
      const found: Page[] = []
      for await (const row of rows.batchSize(limit)) {
        if (isVisible(row, leaving)) found.push(toPage(row, leaving))
        if (found.length >= limit) break
      }
      return found
    },
  }
}

const byUuid = (a: Page, b: Page): number => (a.uuid < b.uuid ? -1 : Number(a.uuid > b.uuid))
