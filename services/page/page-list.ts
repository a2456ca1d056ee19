// The list of a project's addresses: failed, skipped and pending ones, then indexed pages.
import { setImmediate as nextTurn } from 'node:timers/promises'
import { create } from '@bufbuild/protobuf'
import { type ListedPage, ListedPageSchema, PageStatus as Status } from '../../gen/lectern/v1/page_pb.js'
import { toEnum, toTime, withoutNulls } from '../message.ts'
import type { PageSection } from '../search/page-sections.ts'
import type { Page } from '../store/page.ts'
import type { Paged, PageRequest } from '../store/paging.ts'
import { type LoggedEvent, type Run, runsWithEvents } from '../store/run.ts'
import type { Store } from '../store/store.ts'

export type PageStatus = 'indexed' | 'skipped' | 'failed' | 'pending'
/** `unknown`: Lectern never saw the address. */
export type LookupStatus = PageStatus | 'unknown'

/** Fields that are absent or undefined do not filter. */
export interface PageFilter {
  urlPrefix?: string | undefined
  status?: LookupStatus | undefined
  reason?: string | undefined
  sourceUuid?: string | undefined
}

/** An address with the outcome of its last visit. */
export interface PageEntry {
  url: string
  status: PageStatus
  /** The event of a skipped or failed address. */
  event: LoggedEvent | null
  /** The indexed page. */
  page: Page | null
}

/** Rows that are read from the store at once. */
const chunkSize = 1_000

/** The run whose skipped and failed addresses count: the latest that was not cancelled. */
export async function lastRun(store: Store, project: string): Promise<Run | null> {
  const { rows } = await store.runs.list(project, { offset: 0, limit: runsWithEvents })
  return rows.find(({ status }) => status !== 'cancelled') ?? rows[0] ?? null
}

/** Whether the event is newer than the last fetch of the page, which may be a recrawl. */
export function isLater(event: LoggedEvent, page: Page | null): boolean {
  return page === null || page.fetchedAt < event.at
}

/** Time grows with the number of skipped, failed and pending addresses; indexed pages come from an index. */
export async function listPages(
  store: Store,
  project: string,
  filter: PageFilter,
  { offset, limit }: PageRequest,
): Promise<Paged<PageEntry>> {
  const { status, reason, sourceUuid } = filter
  if (status === 'unknown') return { count: 0, rows: [] }
  const rows: PageEntry[] = []
  let count = 0
  /** Indexed pages with a later event; the list shows the event. */
  const failing: string[] = []
  for await (const entry of notIndexed(store, project, filter)) {
    if (entry.page !== null && (sourceUuid === undefined || entry.page.sources.includes(sourceUuid)))
      failing.push(entry.url)
    if (status !== undefined && status !== entry.status) continue
    if (count >= offset && rows.length < limit) rows.push(entry)
    count += 1
  }
  if (reason !== undefined || (status !== undefined && status !== 'indexed')) return { count, rows }
  const pages = createPageReader(store, project, filter, failing)
  rows.push(...(await pages.read(Math.max(0, offset - count), limit - rows.length)))
  return { count: count + (await pages.count()), rows }
}

/** Every address that matches `urlPrefix` and `sourceUuid`: those that are not indexed, then indexed pages. */
export async function* listAddresses(
  store: Store,
  project: string,
  filter: Pick<PageFilter, 'urlPrefix' | 'sourceUuid'>,
): AsyncGenerator<Pick<PageEntry, 'url' | 'status' | 'event'>> {
  const failing = new Set<string>()
  for await (const entry of notIndexed(store, project, filter)) {
    if (entry.page !== null) failing.add(entry.url)
    yield entry
  }
  for (let after = ''; ; ) {
    const urls = await store.pages.urls(project, filter, after, chunkSize)
    for (const url of urls) if (!failing.has(url)) yield { url, status: 'indexed', event: null }
    if (urls.length < chunkSize) return
    after = urls.at(-1)!
    await nextTurn()
  }
}

async function* notIndexed(store: Store, project: string, filter: PageFilter): AsyncGenerator<PageEntry> {
  const { status, reason, urlPrefix, sourceUuid } = filter
  const run = await lastRun(store, project)
  if (run === null) return
  if (status !== 'skipped' && status !== 'pending') yield* withEvents('failed', 'page_failed')
  if (status !== 'failed' && status !== 'pending') yield* withEvents('skipped', 'page_skipped')
  // Pending addresses have no source yet.
  const hasPending = reason === undefined && sourceUuid === undefined
  if (hasPending && (status === undefined || status === 'pending')) yield* pending()

  async function* withEvents(status: PageStatus, type: string): AsyncGenerator<PageEntry> {
    for (let after = 0; ; ) {
      const wanted = { type, urlPrefix, reason, after }
      const rows = await store.runs.firstEvents(run!.uuid, wanted, chunkSize)
      const urls = rows.map(({ url }) => url!)
      const pages = urls.length === 0 ? [] : await store.pages.byUrls(project, urls)
      for (const [at, event] of rows.entries()) {
        const page = pages[at] ?? null
        const isOfSource = [event.sourceUuid, ...(page?.sources ?? [])].includes(sourceUuid ?? null)
        if (sourceUuid !== undefined && !isOfSource) continue
        if (isLater(event, page)) yield { url: urls[at]!, status, event, page }
      }
      if (rows.length < chunkSize) return
      after = rows.at(-1)!.sequence
      // The embedded store answers at once: other requests get their turn.
      await nextTurn()
    }
  }

  async function* pending(): AsyncGenerator<PageEntry> {
    for (let after = ''; ; ) {
      const urls = await store.frontier.pending(run!.uuid, urlPrefix ?? '', after, chunkSize)
      const pages = urls.length === 0 ? [] : await store.pages.byUrls(project, urls)
      for (const [at, url] of urls.entries())
        if (pages[at] == null) yield { url, status: 'pending', event: null, page: null }
      if (urls.length < chunkSize) return
      after = urls.at(-1)!
      await nextTurn()
    }
  }
}

/** Reads the pages of the index by address, `failing` left out. */
function createPageReader(
  store: Store,
  project: string,
  { urlPrefix, sourceUuid }: PageFilter,
  failing: string[],
) {
  const left = new Set(failing)
  const sorted = failing.toSorted()
  const list = (page: PageRequest) => store.pages.list(project, { urlPrefix, sourceUuid }, page)

  /** Offset in the store's list after which `skipped` pages, failing ones not counted, have been passed. */
  async function findPlace(skipped: number): Promise<number> {
    for (let place = skipped; ; ) {
      const [first] = (await list({ offset: place, limit: 1 })).rows
      if (first === undefined) return place
      const next = skipped + sorted.filter((url) => url <= first.url).length
      if (next === place) return place
      place = next
    }
  }

  return {
    count: async () => (await list({ offset: 0, limit: 1 })).count - left.size,
    async read(skipped: number, limit: number): Promise<PageEntry[]> {
      const found: PageEntry[] = []
      if (limit === 0) return found
      for (let place = await findPlace(skipped); found.length < limit; place += limit) {
        const { rows } = await list({ offset: place, limit })
        for (const page of rows) {
          if (left.has(page.url) || found.length === limit) continue
          found.push({ url: page.url, status: 'indexed', event: null, page })
        }
        if (rows.length < limit) break
      }
      return found
    },
  }
}

/** Fields that lists and lookups share. */
export function toFacts({ url, page, event }: Pick<PageEntry, 'url' | 'page' | 'event'>) {
  const fetchedAt = (event !== null && isFetch(event) ? event.at : page?.fetchedAt) ?? null
  return {
    url,
    sourceUuids: page?.sources ?? (event?.sourceUuid ? [event.sourceUuid] : []),
    ...withoutNulls({
      reason: event?.reason,
      lastFetchedAt: toTime(fetchedAt),
      title: page?.title,
      // Versions are made from the clock, in microseconds.
      lastChangedAt: page && toTime(new Date(page.version / 1_000).toISOString()),
      version: page?.docVersion,
      language: page?.language,
    }),
  }
}

export function toListedPage(entry: PageEntry, sections: PageSection[]): ListedPage {
  return create(ListedPageSchema, {
    ...toFacts(entry),
    status: toEnum(Status, entry.status),
    sections: sections.length,
    embedded: sections.filter(({ embedded }) => embedded).length,
  })
}

/** Reasons for which an address is skipped without a request for it. */
const withoutFetch = ['robots', 'excluded', 'trap', 'page_limit']

function isFetch({ type, reason }: LoggedEvent): boolean {
  return type !== 'page_removed' && !withoutFetch.includes(reason ?? '')
}
