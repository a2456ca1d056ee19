// Updates the project's pages at the end of a run: finds those that no source lists, and assigns the sources of the others.
import { removingReasons, stayingOutcomes } from '../frontier.ts'
import type { Page, PageStore } from '../page.ts'
import { type AddressRow, addressId } from './address.ts'
import type { MongoDb } from './connection.ts'
import { readFrontier } from './frontier.ts'
import { type Journal, type ProjectRow, toSet } from './journal.ts'
import { type PageRow, pageRows, remainingSources, toPage } from './page-row.ts'
import { chunked, findByIds } from './row.ts'
import type { LiveRuns } from './run-row.ts'
import { sourcesThere, visibleIn } from './source.ts'

/** Pages read per step, and pages assigned per batch. */
const maxRead = 1_000
const maxAssigned = 500

/** Source of the listing of a pinned page that no source lists. */
const ownListing = 'pinned'

/** Whether an existing source (or a pinned page's own listing) lists the page and did not decline it. */
function isListed(row: AddressRow | undefined, sources: Set<string>): boolean {
  return (
    row?.state === 'decided' &&
    stayingOutcomes.includes(row.outcome ?? '') &&
    row.listedBy.some(
      (source) => !row.declined.includes(source) && (source === ownListing || sources.has(source)),
    )
  )
}

function isLost(page: PageRow, row: AddressRow | undefined, sources: Set<string>): boolean {
  return page.pinned
    ? row?.state === 'decided' && removingReasons.includes(row.outcomeReason ?? '')
    : !isListed(row, sources)
}

/**
 * The new sources of the page.
 *
 *   sources [s1, s2], listed by s2 and s3, s1 unreadable → s1 (unchanged), s2, s3
 */
function assign(page: PageRow, row: AddressRow | undefined, readable: Set<string>, unreadable: string[]) {
  const staying = page.sources.filter((source) => unreadable.includes(source))
  const listing = row?.listedBy.filter((source) => readable.has(source) && !row.declined.includes(source))
  return [...new Set([...staying, ...(listing ?? [])])].toSorted()
}

type Methods = 'pinnedUnlisted' | 'unlisted' | 'assignSources'

export function createStalePages(db: MongoDb, journal: Journal, live: LiveRuns): Pick<PageStore, Methods> {
  const pages = pageRows(db)

  /** Yields the project's visible pages, by uuid, with the run's state of their addresses. */
  async function* readPages(project: ProjectRow, run: string, isPinned?: true) {
    const filter = { ...(await visibleIn(db, project)), ...(isPinned && { pinned: true }) }
    for await (const rows of chunked(pages.find(filter).sort({ _id: 1 }).batchSize(maxRead), maxRead)) {
      const urls = rows.map(({ url }) => url)
      const known = await readFrontier(db, { project: project._id, run }, urls)
      for (const row of rows) yield { row, known: known.get(row.url) }
    }
  }

  /** The batch that assigns the sources of pages. Its result is whether the run is still live. */
  async function assignment(project: ProjectRow, run: string, uuids: string[], unreadable: string[]) {
    const sources = await sourcesThere(db, project)
    const readable = new Set([...sources].filter((source) => !unreadable.includes(source)))
    const found = await findByIds(pages, uuids)
    const rows = found.filter(({ state, heldBy }) => state === 'current' && heldBy !== run)
    const urls = rows.map(({ url }) => url)
    const known = await readFrontier(db, { project: project._id, run }, urls)
    const changed = rows.flatMap((row) => {
      const after = assign(row, known.get(row.url), readable, unreadable)
      return remainingSources(row, project).join() === after.join() ? [] : [{ ...row, sources: after }]
    })
    const ofPages = changed.map(({ _id, sources }) => ({ _id, sources }))
    const ofAddresses = changed.map(({ url, sources }) => ({ _id: addressId(project._id, url), sources }))
    return { result: true, writes: [...toSet('pages', ofPages), ...toSet('addresses', ofAddresses)] }
  }

  return {
    pinnedUnlisted: async (uuid, limit) => {
      const project = await live.liveProject(uuid)
      const found: Page[] = []
      if (project === null) return found
      for await (const { row, known } of readPages(project, uuid, true)) {
        if (known === undefined) found.push(toPage(row, project))
        if (found.length >= limit) break
      }
      return found
    },
    unlisted: async (uuid, unreadable) => {
      const project = await live.liveProject(uuid)
      const found: Page[] = []
      if (project === null) return found
      const sources = await sourcesThere(db, project)
      const unread = new Set(unreadable.filter((source) => sources.has(source)))
      for await (const { row, known } of readPages(project, uuid)) {
        const isReadable = !row.sources.some((source) => unread.has(source))
        if (isReadable && isLost(row, known, sources)) found.push(toPage(row, project))
      }
      return found
    },
    assignSources: async (uuid, fence, unreadable) => {
      const project = await live.liveProject(uuid)
      if (project?.fence !== fence) return
      const found = pages
        .find({ project: project._id, state: 'current' }, { projection: { _id: 1 } })
        .sort({ _id: 1 })
      for await (const rows of chunked(found, maxAssigned)) {
        const uuids = rows.map(({ _id }) => _id)
        const isLive = await journal.write(project._id, async (open) =>
          open.liveRun === uuid && open.fence === fence
            ? assignment(open, uuid, uuids, unreadable)
            : { result: false },
        )
        if (!isLive) return
      }
    },
  }
}
