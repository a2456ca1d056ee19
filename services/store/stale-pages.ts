// Updates pages at the end of a run: finds those that no source lists, marks the held ones, and assigns the sources of the others.
// Reads and changes the pages in chunks, so that other writers can run between.
import { addressId, addressTable } from './address.ts'
import { type FrontierState, removingReasons, stayingOutcomes } from './frontier.ts'
import { readFrontier, toState } from './frontier-store.ts'
import { type Journal, type ProjectState, toSet } from './journal.ts'
import type { Page, PageStore } from './page.ts'
import { type PageRow, type PageRows, pageTable, remainingSources } from './page-rows.ts'
import type { Filter } from './rows.ts'
import type { LiveRuns } from './run-store.ts'

/** A page with its address's state in the live run. */
interface ListedPage extends Pick<Page, 'uuid' | 'sources' | 'pinned' | 'heldBy'> {
  /** Null if the run does not know the address. */
  state: FrontierState | null
  /** Existing sources (and `pinned`, a pinned page's own listing) that list it in the run and did not decline it. */
  listedBy: string[]
}

type PageChange = Pick<Page, 'uuid'> & Partial<Pick<Page, 'sources' | 'heldBy'>>

type Methods = 'pinnedUnlisted' | 'unlisted' | 'hold' | 'assignSources'

const chunkSize = 500

function isListed({ state, listedBy }: ListedPage): boolean {
  const stays = state !== null && !state.deferred && stayingOutcomes.includes(state.outcome ?? '')
  return stays && listedBy.length > 0
}

function isLost(page: ListedPage): boolean {
  const { pinned, state } = page
  if (!pinned) return !isListed(page)
  return state !== null && !state.deferred && removingReasons.includes(state.reason ?? '')
}

/**
 * The changes of pages whose sources are not those that list them.
 *
 *   sources [s1, s2], listed by s2 and s3, s1 unreadable → s1 (unchanged), s2, s3
 */
function assign(pages: ListedPage[], run: string, unreadable: string[]): PageChange[] {
  return pages.flatMap(({ uuid, sources, heldBy, listedBy }) => {
    const staying = sources.filter((source) => unreadable.includes(source))
    const listing = listedBy.filter((source) => source !== 'pinned' && !unreadable.includes(source))
    const assigned = [...new Set([...staying, ...listing])].toSorted()
    return heldBy === run || sources.join() === assigned.join() ? [] : [{ uuid, sources: assigned }]
  })
}

/** Pages of the project of a live run. */
function createListedPages(pageRows: PageRows, journal: Journal, live: LiveRuns) {
  async function toListed(project: ProjectState, run: string, rows: PageRow[]): Promise<ListedPage[]> {
    const urls = rows.map(({ url }) => url)
    const known = await readFrontier(pageRows.addresses, { project: project.uuid, run }, urls)
    const sources = await pageRows.sourcesIn(project)
    return rows.map((row) => {
      const address = known.get(row.url)
      const listedBy = address?.listedBy.filter(
        (source) => !address.declined.includes(source) && (source === 'pinned' || sources.has(source)),
      )
      return {
        ...{
          uuid: row.uuid,
          pinned: row.pinned,
          heldBy: row.heldBy,
          sources: remainingSources(row, project),
        },
        ...{ state: address === undefined ? null : toState(address), listedBy: listedBy ?? [] },
      }
    })
  }

  return {
    /** Yields chunks of the pages, sorted by uuid. Nothing if the run has ended. */
    async *read(run: string, only: Filter<PageRow> = {}) {
      const project = await live.liveProject(run)
      if (project === null) return
      const visible = await pageRows.visibleIn(project)
      for (let after = ''; ; await journal.pause()) {
        const filter = { ...visible, ...only, uuid: { $gt: after } }
        const rows = await pageRows.pages.all(filter, 'uuid', { limit: chunkSize })
        if (rows.length === 0) return
        yield toListed(project, run, rows)
        after = rows.at(-1)!.uuid
      }
    },
    /**
     * Reads the pages again, and writes what `decide` returns for them, in one batch. Returns false without a change if the run's
     * fence is not valid.
     */
    async change(
      run: string,
      fence: number,
      uuids: string[],
      decide: (pages: ListedPage[]) => PageChange[],
    ): Promise<boolean> {
      const uuid = await live.project(run)
      if (uuid === null) return false
      const isLive = await journal.write(uuid, async (project) => {
        if (project.liveRun !== run || project.fence !== fence) return { result: false }
        const rows = await pageRows.visible(project, uuids)
        const changes = decide(await toListed(project, run, rows))
        const urls = new Map(rows.map((row) => [row.uuid, row.url]))
        const ofAddresses = changes.flatMap((change) =>
          change.sources ? [{ uuid: addressId(uuid, urls.get(change.uuid)!), sources: change.sources }] : [],
        )
        return { result: true, writes: [...toSet(pageTable, changes), ...toSet(addressTable, ofAddresses)] }
      })
      return isLive ?? false
    },
  }
}

export function createStalePages(
  pageRows: PageRows,
  journal: Journal,
  live: LiveRuns,
  byUuids: PageStore['byUuids'],
): Pick<PageStore, Methods> {
  const listed = createListedPages(pageRows, journal, live)

  async function find(
    run: string,
    only: Filter<PageRow> | undefined,
    isWanted: (page: ListedPage) => boolean,
  ) {
    const uuids: string[] = []
    for await (const pages of listed.read(run, only))
      uuids.push(...pages.filter(isWanted).map(({ uuid }) => uuid))
    return uuids
  }

  async function readPages(uuids: string[]): Promise<Page[]> {
    return (await byUuids(uuids)).filter((page) => page !== null)
  }

  return {
    pinnedUnlisted: async (run, limit) => {
      const found = await find(run, { pinned: true }, ({ state }) => state === null)
      return readPages(found.slice(0, limit))
    },
    unlisted: async (run, unreadable) => {
      const isReadable = ({ sources }: ListedPage) => !sources.some((source) => unreadable.includes(source))
      return readPages(await find(run, undefined, (page) => isReadable(page) && isLost(page)))
    },
    hold: async (run, fence, uuids) => {
      const wanted = new Set(uuids)
      const changed = [...uuids]
      for await (const pages of listed.read(run, { heldBy: { $gt: '' } }))
        changed.push(...pages.flatMap(({ uuid }) => (wanted.has(uuid) ? [] : [uuid])))
      await journal.inChunks(changed, chunkSize, (chunk) =>
        listed.change(run, fence, chunk, (pages) =>
          pages.flatMap(({ uuid, heldBy: before }) => {
            const heldBy = wanted.has(uuid) ? run : null
            return heldBy === before ? [] : [{ uuid, heldBy }]
          }),
        ),
      )
    },
    assignSources: async (run, fence, unreadable) => {
      for await (const pages of listed.read(run)) {
        const uuids = assign(pages, run, unreadable).map(({ uuid }) => uuid)
        const decide = (again: ListedPage[]) => assign(again, run, unreadable)
        // Publishing has already set most sources, so only chunks with a difference are written.
        if (uuids.length > 0 && !(await listed.change(run, fence, uuids, decide))) return
      }
    },
  }
}
