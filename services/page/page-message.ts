// Listed and looked-up addresses as messages.
import { create } from '@bufbuild/protobuf'
import { type ListedPage, ListedPageSchema, PageStatus as Status } from '../../gen/lectern/v1/page_pb.js'
import type { PageSection } from '../search/page-sections.ts'
import type { LoggedEvent } from '../store/run.ts'
import { toTime } from '../sync/sync-message.ts'
import type { LookupStatus, PageEntry } from './page-list.ts'

export const statuses: Record<LookupStatus, Status> = {
  indexed: Status.INDEXED,
  skipped: Status.SKIPPED,
  failed: Status.FAILED,
  pending: Status.PENDING,
  unknown: Status.UNKNOWN,
}

export function readStatus(status: Status): LookupStatus | undefined {
  const found = Object.entries(statuses).find(([, value]) => value === status)
  return found?.[0] as LookupStatus | undefined
}

/** Fields that lists and lookups share. */
export function toFacts({ url, page, event }: Pick<PageEntry, 'url' | 'page' | 'event'>) {
  const fetchedAt = event !== null && isFetch(event) ? event.at : page?.fetchedAt
  return {
    url,
    sourceUuids: page?.sources ?? (event?.sourceUuid ? [event.sourceUuid] : []),
    ...(event !== null && event.reason !== null && { reason: event.reason }),
    ...(fetchedAt !== undefined && { lastFetchedAt: toTime(fetchedAt) }),
    ...(page !== null && {
      title: page.title,
      // Versions are made from the clock, in microseconds.
      lastChangedAt: toTime(new Date(page.version / 1_000).toISOString()),
      ...(page.docVersion !== null && { version: page.docVersion }),
      ...(page.language !== null && { language: page.language }),
    }),
  }
}

export function toListedPage(entry: PageEntry, sections: PageSection[]): ListedPage {
  return create(ListedPageSchema, {
    ...toFacts(entry),
    status: statuses[entry.status],
    sections: sections.length,
    embedded: sections.filter(({ embedded }) => embedded).length,
  })
}

/** Reasons for which an address is skipped without a request for it. */
const withoutFetch = ['robots', 'excluded', 'trap', 'page_limit']

function isFetch({ type, reason }: LoggedEvent): boolean {
  return type !== 'page_removed' && !withoutFetch.includes(reason ?? '')
}
