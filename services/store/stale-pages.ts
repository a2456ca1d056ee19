// Updates pages at the end of a run: finds those that no source lists, marks the held ones, and assigns the sources of the others.
// Both drivers read and change the pages in chunks, so that other writers can run between.
import { type FrontierState, removingReasons, stayingOutcomes } from './frontier.ts'
import type { Page, PageStore } from './page.ts'

/** A page with its address's state in the live run. */
export interface ListedPage extends Pick<Page, 'uuid' | 'sources' | 'pinned' | 'heldBy'> {
  /** Null if the run does not know the address. */
  state: FrontierState | null
  /** Existing sources (and `pinned`, a pinned page's own listing) that list it in the run and did not decline it. */
  listedBy: string[]
}

export type PageChange = Pick<Page, 'uuid'> & Partial<Pick<Page, 'sources' | 'heldBy'>>

/** Pages of the project of a live run. */
export interface ListedPages {
  /** Yields chunks of the pages, sorted by uuid. Nothing if the run has ended. */
  read(run: string, only?: 'pinned' | 'held'): AsyncIterable<ListedPage[]>
  /**
   * Reads the pages again, and writes what `decide` returns for them, in one transaction. Returns false without a change if the
   * run's fence is not valid.
   */
  change(
    run: string,
    fence: number,
    uuids: string[],
    decide: (pages: ListedPage[]) => PageChange[],
  ): Promise<boolean>
}

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

export function createStalePages(
  listed: ListedPages,
  byUuids: PageStore['byUuids'],
): Pick<PageStore, Methods> {
  async function find(run: string, only: 'pinned' | undefined, isWanted: (page: ListedPage) => boolean) {
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
      const found = await find(run, 'pinned', ({ state }) => state === null)
      return readPages(found.slice(0, limit))
    },
    unlisted: async (run, unreadable) => {
      const isReadable = ({ sources }: ListedPage) => !sources.some((source) => unreadable.includes(source))
      return readPages(await find(run, undefined, (page) => isReadable(page) && isLost(page)))
    },
    hold: async (run, fence, uuids) => {
      const wanted = new Set(uuids)
      const changed = [...uuids]
      for await (const pages of listed.read(run, 'held'))
        changed.push(...pages.flatMap(({ uuid }) => (wanted.has(uuid) ? [] : [uuid])))
      for (let at = 0; at < changed.length; at += chunkSize) {
        const chunk = changed.slice(at, at + chunkSize)
        const isLive = await listed.change(run, fence, chunk, (pages) =>
          pages.flatMap(({ uuid, heldBy: before }) => {
            const heldBy = wanted.has(uuid) ? run : null
            return heldBy === before ? [] : [{ uuid, heldBy }]
          }),
        )
        if (!isLive) return
      }
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
