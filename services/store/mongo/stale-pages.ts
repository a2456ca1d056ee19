// What a run at its end finds of the project's pages: pinned ones that no source listed, and those without a place.
import { removingReasons, stayingOutcomes } from '../outcomes.ts'
import type { Page, PageStore } from '../page.ts'
import { chunked } from './chunks.ts'
import type { MongoDb } from './connection.ts'
import { type FrontierRow, readFrontier } from './frontier-row.ts'
import { isVisible, type PageRow, pageRows, stayingSources, toPage } from './page-row.ts'
import type { LiveRuns } from './run-row.ts'
import { sourcesThere } from './source-row.ts'

/** Pages looked at at once. */
const chunkSize = 1_000

/** The source of a pinned page that is visited for its own sake. */
const ownListing = 'pinned'

/** Whether a source that is still there (or the pinned page's own visit) lists it and did not decline it. */
function isListed(row: FrontierRow | undefined, sources: Set<string>): boolean {
  return (
    row?.state === 'decided' &&
    stayingOutcomes.includes(row.outcome ?? '') &&
    row.sources.some(
      (source) => !row.declined.includes(source) && (source === ownListing || sources.has(source)),
    )
  )
}

function isLost(page: PageRow, row: FrontierRow | undefined, sources: Set<string>): boolean {
  return page.pinned
    ? row?.state === 'decided' && removingReasons.includes(row.reason ?? '')
    : !isListed(row, sources)
}

export function createStalePages(
  db: MongoDb,
  live: LiveRuns,
): Pick<PageStore, 'pinnedUnlisted' | 'unlisted'> {
  const urlsOf = (rows: PageRow[]) => rows.map((row) => row.url)
  return {
    pinnedUnlisted: async (uuid, limit) => {
      const project = await live.projectOfLive(uuid)
      if (project === null) return []
      const pinned = pageRows(db)
        .find({ project: project.uuid, pinned: true, state: 'current' })
        .sort({ _id: 1 })
      const found: Page[] = []
      for await (const rows of chunked(pinned, chunkSize)) {
        const known = await readFrontier(db, uuid, urlsOf(rows))
        for (const row of rows) if (!known.has(row.url)) found.push(toPage(row, project.leaving))
        if (found.length >= limit) break
      }
      return found.slice(0, limit)
    },
    unlisted: async (uuid, unreadable) => {
      const project = await live.projectOfLive(uuid)
      if (project === null) return []
      const sources = await sourcesThere(db, project)
      const left = new Set(unreadable.filter((source) => sources.has(source)))
      const pages = pageRows(db).find({ project: project.uuid, state: 'current' }).sort({ _id: 1 })
      const found: Page[] = []
      for await (const rows of chunked(pages.batchSize(chunkSize), chunkSize)) {
        const known = await readFrontier(db, uuid, urlsOf(rows))
        for (const row of rows) {
          const isReadable = !stayingSources(row, project.leaving).some((source) => left.has(source))
          if (isReadable && isVisible(row, project.leaving) && isLost(row, known.get(row.url), sources))
            found.push(toPage(row, project.leaving))
        }
      }
      return found
    },
  }
}
