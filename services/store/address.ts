// What came of each address that a project knows. An address has one row: runs write it (frontier.ts), and so do recrawls (page.ts).
import { isKept, type Settlement } from './frontier.ts'
import type { Paged, PageRequest } from './paging.ts'

/** In the order of lists. */
export const addressStatuses = ['failed', 'skipped', 'pending', 'indexed'] as const
export type AddressStatus = (typeof addressStatuses)[number]

/** The outcome of the last visit. */
export interface Address {
  url: string
  /** `pending`: the live run has found the address, and no run has read it. */
  status: AddressStatus
  /** The event of a skipped or failed address: its reason, sentence, time and source. Null for others. */
  reason: string | null
  message: string | null
  at: string | null
  sourceUuid: string | null
  /** Of a skipped or failed address; null where no HTTP answer was read. */
  httpStatus: number | null
}

/** The address of a page that is in the index. */
export const indexed = {
  ...{ status: 'indexed', reason: null, message: null },
  ...{ at: null, sourceUuid: null, httpStatus: null },
} as const satisfies Omit<Address, 'url'>

/** What a settlement that is not deferred makes of its address. */
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
  /** By status, then by URL. */
  list(project: string, filter: AddressFilter, page: PageRequest): Promise<Paged<Address>>
  /** The addresses of one status by URL, from after `after`, which is one of them or empty. */
  scan(
    project: string,
    filter: AddressFilter & { status: AddressStatus },
    after: string,
    limit: number,
  ): Promise<Address[]>
  /** Null where the project does not know the URL. */
  find(project: string, url: string): Promise<Address | null>
  /** Drops the addresses that the run, live and at its end, has not found, unless their page is in the index. */
  forget(run: string): Promise<void>
  /** Writes skipped and failed addresses of another store over those that are there. */
  restore(project: string, addresses: Address[]): Promise<void>
}
