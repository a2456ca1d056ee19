// The list of a project's addresses, and what lists and lookups say of one.
import { setImmediate as nextTurn } from 'node:timers/promises'
import { create } from '@bufbuild/protobuf'
import { type ListedPage, ListedPageSchema, PageStatus as Status } from '../../gen/lectern/v1/page_pb.js'
import { toEnum, toTime, withoutNulls } from '../message.ts'
import type { PageSection } from '../search/page-sections.ts'
import { type Address, type AddressFilter, type AddressStatus, addressStatuses } from '../store/address.ts'
import type { Page } from '../store/page.ts'
import type { PageRequest } from '../store/paging.ts'
import type { Store } from '../store/store.ts'

/** `unknown`: Lectern never saw the address. */
export type LookupStatus = AddressStatus | 'unknown'

/** Rows that are read from the store at once. */
const chunkSize = 2_000

/** Each with its page, if that is in the index. */
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

/** Every address that matches, by status, then by URL, some at a time. */
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
      // The embedded store answers at once: other requests get their turn.
      await nextTurn()
    }
  }
}

/** Fields that lists and lookups share. */
export function toFacts({ url, at, reason, sourceUuid }: Omit<Address, 'status'>, page: Page | null) {
  const isFetched = at !== null && !withoutFetch.includes(reason ?? '')
  return {
    url,
    sourceUuids: page?.sources ?? (sourceUuid === null ? [] : [sourceUuid]),
    ...withoutNulls({
      reason,
      lastFetchedAt: toTime((isFetched ? at : page?.fetchedAt) ?? null),
      title: page?.title,
      // Versions are made from the clock, in microseconds.
      lastChangedAt: page && toTime(new Date(page.version / 1_000).toISOString()),
      version: page?.docVersion,
      language: page?.language,
    }),
  }
}

/** Reasons for which an address is skipped without a request for it. */
const withoutFetch = ['robots', 'excluded', 'trap', 'page_limit', 'unlisted']

export function toListedPage(address: Address, page: Page | null, sections: PageSection[]): ListedPage {
  return create(ListedPageSchema, {
    ...toFacts(address, page),
    status: toEnum(Status, address.status),
    sections: sections.length,
    embedded: sections.filter(({ embedded }) => embedded).length,
  })
}
