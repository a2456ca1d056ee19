// The addresses of a project and their last outcomes. An address has one row, written by runs (frontier.ts) and recrawls (page.ts).
import { isKept, type Settlement } from './frontier.ts'
import type { Paged, PageRequest } from './paging.ts'

/** In the sort order of lists. */
export const addressStatuses = ['failed', 'skipped', 'pending', 'indexed'] as const
export type AddressStatus = (typeof addressStatuses)[number]

/** The outcome of the last visit. */
export interface Address {
  url: string
  /** `pending`: found by the live run, but not yet read by any run. */
  status: AddressStatus
  /** Reason, sentence, time and source of a skipped or failed address's event. Null for other statuses. */
  reason: string | null
  message: string | null
  at: string | null
  sourceUuid: string | null
  /** HTTP status of a skipped or failed address; null without a response. */
  httpStatus: number | null
}

/** Outcome of an indexed page. */
export const indexed = {
  ...{ status: 'indexed', reason: null, message: null },
  ...{ at: null, sourceUuid: null, httpStatus: null },
} as const satisfies Omit<Address, 'url'>

/** The address after a settlement that is not deferred. */
export function toAddress({ url, outcome, reason, event, httpStatus }: Settlement): Address {
  if (isKept(outcome)) return { url, ...indexed }
  const status = outcome === 'failed' ? 'failed' : 'skipped'
  const { message = null, at = null, sourceUuid = null } = event ?? {}
  return { url, status, reason, message, at, sourceUuid, httpStatus: httpStatus ?? null }
}

/** Fields that are absent or undefined do not filter. */
export interface AddressFilter {
  urlPrefix?: string | undefined
  status?: AddressStatus | undefined
  reason?: string | undefined
  /** The source of its event, or one that lists its page. */
  sourceUuid?: string | undefined
}

export interface AddressStore {
  /** Lists addresses by status, then by URL. */
  list(project: string, filter: AddressFilter, page: PageRequest): Promise<Paged<Address>>
  /** Lists the addresses with a status by URL, after the URL `after`, or from the start if it is empty. */
  scan(
    project: string,
    filter: AddressFilter & { status: AddressStatus },
    after: string,
    limit: number,
  ): Promise<Address[]>
  /** Null if the URL is unknown. */
  find(project: string, url: string): Promise<Address | null>
  /** Deletes addresses that the run has not found, unless their page is indexed. Call at the end of the live run. */
  forget(run: string): Promise<void>
  /** Writes skipped and failed addresses from another store. Overwrites existing ones. */
  restore(project: string, addresses: Address[]): Promise<void>
}
