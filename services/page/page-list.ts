// Lists a project's addresses, and counts them by outcome, reason and folder, and by whether a source includes them.
import { setImmediate as nextTurn } from 'node:timers/promises'
import type { CountPagesResponseSchema } from '../../gen/lectern/v1/page_pb.js'
import type { RowOf } from '../message.ts'
import type { PageSection } from '../search/page-sections.ts'
import { findScope } from '../source/source-scope.ts'
import { type Address, type AddressFilter, type AddressStatus, addressStatuses } from '../store/address.ts'
import type { Page } from '../store/page.ts'
import type { PageRequest } from '../store/paging.ts'
import type { Source } from '../store/source.ts'
import type { Store } from '../store/store.ts'

/** `unknown`: no run has found the address. */
export type LookupStatus = AddressStatus | 'unknown'

/** Rows per read of the store. */
const chunkSize = 2_000

/** Lists addresses with their pages; null if not indexed. */
export async function listPages(
  { addresses, pages }: Store,
  project: string,
  filter: Omit<AddressFilter, 'status'> & { status?: LookupStatus | undefined },
  request: PageRequest,
) {
  const { status, ...others } = filter
  if (status === 'unknown') return { count: 0, rows: [] }
  const { count, rows } = await addresses.list(project, { ...others, status }, request)
  const urls = rows.map(({ url }) => url)
  const found = urls.length === 0 ? [] : await pages.byUrls(project, urls)
  return { count, rows: rows.map((address, at) => ({ address, page: found[at] ?? null })) }
}

/** Yields all matching addresses in batches, sorted by status, then by URL. */
export async function* listAddresses(
  { addresses }: Store,
  project: string,
  filter: Omit<AddressFilter, 'status'> = {},
  statuses: readonly AddressStatus[] = addressStatuses,
): AsyncGenerator<Address[]> {
  for (const status of statuses) {
    for (let after: string | null = ''; after !== null; ) {
      const rows: Address[] = await addresses.scan(project, { ...filter, status }, after, chunkSize)
      yield rows
      after = rows.length < chunkSize ? null : rows.at(-1)!.url
      // The embedded store is synchronous: lets other requests run.
      await nextTurn()
    }
  }
}

/** Common fields of lists and lookups. */
export function toFacts({ url, at, reason, sourceUuid }: Omit<Address, 'status'>, page: Page | null) {
  const isFetched = at !== null && !withoutFetch.includes(reason ?? '')
  return {
    ...{ url, reason, sourceUuids: page?.sources ?? (sourceUuid === null ? [] : [sourceUuid]) },
    lastFetchedAt: (isFetched ? at : page?.fetchedAt) ?? null,
    ...(page && {
      ...{ title: page.title, version: page.docVersion, language: page.language },
      // Versions are times in microseconds.
      lastChangedAt: new Date(page.version / 1_000).toISOString(),
    }),
  }
}

/** Reasons for which an address is skipped without fetching it. */
const withoutFetch = ['robots', 'excluded', 'trap', 'page_limit', 'unlisted']

export function toListedPage(address: Address, page: Page | null, sections: PageSection[]) {
  return {
    ...toFacts(address, page),
    status: address.status,
    sections: sections.length,
    embedded: sections.filter(({ embedded }) => embedded).length,
  }
}

const maxFolders = 1_000

const noPages = () => ({ indexed: 0, skipped: 0, failed: 0, pending: 0 })

export async function countPages(
  store: Store,
  project: string,
  filter: Pick<AddressFilter, 'urlPrefix' | 'sourceUuid'>,
): Promise<RowOf<typeof CountPagesResponseSchema>> {
  const { urlPrefix = '' } = filter
  const total = noPages()
  const reasons = new Map<string, { status: AddressStatus; reason: string; count: number }>()
  const folders = new Map<string, { url: string } & ReturnType<typeof noPages>>()
  for await (const addresses of listAddresses(store, project, filter)) {
    for (const { url, status, reason } of addresses) {
      total[status] += 1
      const folder = toFolder(url, urlPrefix.length)
      const counts = folders.get(folder) ?? { url: folder, ...noPages() }
      counts[status] += 1
      folders.set(folder, counts)
      if (reason === null) continue
      const key = `${status} ${reason}`
      const entry = reasons.get(key) ?? { status, reason, count: 0 }
      entry.count += 1
      reasons.set(key, entry)
    }
  }
  const byAddress = [...folders.values()].toSorted((a, b) => (a.url < b.url ? -1 : 1))
  return {
    ...total,
    reasons: [...reasons.values()].toSorted((a, b) => b.count - a.count),
    folders: byAddress.slice(0, maxFolders),
    folderCount: byAddress.length,
  }
}

/** Cuts the address after the first slash from `from` on: `https://a.org/b/c` → `https://a.org/` (0), `https://a.org/b/` (14). */
function toFolder(url: string, from: number): string {
  const slash = url.indexOf('/', Math.max(from, url.indexOf('//') + 2))
  return slash < 0 ? url : url.slice(0, slash + 1)
}

/** Milliseconds of a comparison, because globs may be slow. */
const maxTime = 2_000
const maxExcluded = 20

export async function matchPages(store: Store, project: string, source: Source) {
  const scope = findScope(source)!
  const begun = performance.now()
  const counts = { matched: 0, total: 0, excluded: [] as string[], isWhole: true }
  for await (const addresses of listAddresses(store, project)) {
    for (const { url } of addresses) {
      await nextTurn()
      if (performance.now() - begun > maxTime) return { ...counts, isWhole: false }
      const verdict = scope.admits(url)
      if (verdict === 'out') continue
      counts.total += 1
      if (verdict === 'in') counts.matched += 1
      else if (counts.excluded.length < maxExcluded) counts.excluded.push(url)
    }
  }
  return counts
}
