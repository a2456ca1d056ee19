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

const eventTypes = { failed: 'page_failed', skipped: 'page_skipped' } as const

/** Indexed pages whose address failed or was skipped later are listed with the event. */
export async function listPages(
  store: Store,
  project: string,
  filter: PageFilter,
  { offset, limit }: PageRequest,
): Promise<Paged<PageEntry>> {
  const { status, reason, urlPrefix, sourceUuid } = filter
  if (status === 'unknown') return { count: 0, rows: [] }
  const rows: PageEntry[] = []
  let count = 0
  const run = await lastRun(store, project)
  const stale = new Set<string>()
  if (run !== null && status !== 'pending') {
    const type = status === 'indexed' || status === undefined ? undefined : eventTypes[status]
    const wanted = { offset, limit: status === 'indexed' ? 0 : limit }
    const found = await store.pages.failing(
      project,
      run.uuid,
      { type, reason, urlPrefix, sourceUuid },
      wanted,
    )
    const urls = found.rows.map(({ url }) => url!)
    const pages = urls.length === 0 ? [] : await store.pages.byUrls(project, urls)
    for (const [at, event] of found.rows.entries()) {
      const status = event.type === 'page_failed' ? 'failed' : 'skipped'
      rows.push({ url: urls[at]!, status, event, page: pages[at] ?? null })
    }
    if (status !== 'indexed') count = found.count
    for (const url of found.stale) stale.add(url)
  }
  if (run !== null && isPendingWanted(filter))
    for await (const entry of pending(store, project, run, urlPrefix)) {
      if (count >= offset && rows.length < limit) rows.push(entry)
      count += 1
    }
  if (reason !== undefined || (status !== undefined && status !== 'indexed')) return { count, rows }
  const indexed = (await store.pages.list(project, { urlPrefix, sourceUuid }, { offset: 0, limit: 1 })).count
  let left = Math.max(0, offset - count)
  count += indexed - stale.size
  const urls: string[] = []
  for (let after = ''; rows.length + urls.length < limit && offset < count; ) {
    const next = await store.pages.urls(project, { urlPrefix, sourceUuid }, after, chunkSize)
    const shown = next.filter((url) => !stale.has(url))
    urls.push(...shown.slice(left, left + limit - rows.length - urls.length))
    left = Math.max(0, left - shown.length)
    if (next.length < chunkSize) break
    after = next.at(-1)!
    await nextTurn()
  }
  const pages = urls.length === 0 ? [] : await store.pages.byUrls(project, urls)
  for (const page of pages)
    if (page !== null) rows.push({ url: page.url, status: 'indexed', event: null, page })
  return { count, rows }
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

/** Pending addresses have no source and no reason yet. */
function isPendingWanted({ status, reason, sourceUuid }: PageFilter): boolean {
  return reason === undefined && sourceUuid === undefined && (status === undefined || status === 'pending')
}

async function* notIndexed(
  store: Store,
  project: string,
  filter: Pick<PageFilter, 'urlPrefix' | 'sourceUuid'>,
): AsyncGenerator<PageEntry> {
  const { urlPrefix, sourceUuid } = filter
  const run = await lastRun(store, project)
  if (run === null) return
  yield* withEvents('failed')
  yield* withEvents('skipped')
  if (isPendingWanted(filter)) yield* pending(store, project, run, urlPrefix)

  async function* withEvents(status: 'failed' | 'skipped'): AsyncGenerator<PageEntry> {
    for (let after = 0; ; ) {
      const wanted = { type: eventTypes[status], urlPrefix, after }
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
}

async function* pending(store: Store, project: string, run: Run, urlPrefix = ''): AsyncGenerator<PageEntry> {
  for (let after = ''; ; ) {
    const urls = await store.frontier.pending(run.uuid, urlPrefix, after, chunkSize)
    const pages = urls.length === 0 ? [] : await store.pages.byUrls(project, urls)
    for (const [at, url] of urls.entries())
      if (pages[at] == null) yield { url, status: 'pending', event: null, page: null }
    if (urls.length < chunkSize) return
    after = urls.at(-1)!
    await nextTurn()
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
