// Pages with the state of their addresses in the live run, for ../stale-pages.ts.
import type { ListedPage, ListedPages } from '../stale-pages.ts'
import { addressId } from './address.ts'
import type { MongoDb } from './connection.ts'
import { readFrontier, toState } from './frontier.ts'
import { type Journal, type ProjectRow, toSet } from './journal.ts'
import { isVisible, type PageRow, pageRows, remainingSources } from './page-row.ts'
import { chunked, findByIds } from './row.ts'
import type { LiveRuns } from './run-row.ts'
import { sourcesThere, visibleIn } from './source.ts'

const chunkSize = 500

export function createListedPages(db: MongoDb, journal: Journal, live: LiveRuns): ListedPages {
  const pages = pageRows(db)

  async function toListed(project: ProjectRow, run: string, rows: PageRow[]): Promise<ListedPage[]> {
    const urls = rows.map(({ url }) => url)
    const known = await readFrontier(db, { project: project._id, run }, urls)
    const sources = await sourcesThere(db, project)
    return rows.map((row) => {
      const address = known.get(row.url)
      const listedBy = address?.listedBy.filter(
        (source) => !address.declined.includes(source) && (source === 'pinned' || sources.has(source)),
      )
      return {
        ...{ uuid: row._id, pinned: row.pinned, heldBy: row.heldBy, sources: remainingSources(row, project) },
        ...{ state: address === undefined ? null : toState(address), listedBy: listedBy ?? [] },
      }
    })
  }

  return {
    async *read(run, only) {
      const project = await live.liveProject(run)
      if (project === null) return
      const conditions = { pinned: { pinned: true }, held: { heldBy: { $ne: null } } }
      const filter = { ...(await visibleIn(db, project)), ...(only && conditions[only]) }
      const found = pages.find(filter).sort({ _id: 1 }).batchSize(chunkSize)
      for await (const rows of chunked(found, chunkSize)) yield toListed(project, run, rows)
    },
    change: async (run, fence, uuids, decide) => {
      const uuid = await live.project(run)
      if (uuid === null) return false
      const isLive = await journal.write(uuid, async (project) => {
        if (project.liveRun !== run || project.fence !== fence) return { result: false }
        const rows = (await findByIds(pages, uuids)).filter((row) => isVisible(row, project))
        const changes = decide(await toListed(project, run, rows))
        const urls = new Map(rows.map(({ _id, url }) => [_id, url]))
        const ofAddresses = changes.flatMap(({ uuid: page, sources }) =>
          sources ? [{ _id: addressId(uuid, urls.get(page)!), sources }] : [],
        )
        const ofPages = changes.map(({ uuid: _id, ...change }) => ({ _id, ...change }))
        return { result: true, writes: [...toSet('pages', ofPages), ...toSet('addresses', ofAddresses)] }
      })
      return isLive ?? false
    },
  }
}
