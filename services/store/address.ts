// The addresses of a project and their last outcomes. An address has one row with its state in the live run (frontier-store.ts), and
// the outcome of its last visit by a run or a recrawl (page-store.ts).
import { isDeepStrictEqual } from 'node:util'
import { type FrontierState, isKept, type Settlement } from './frontier.ts'
import { type Journal, type ProjectState, toSet, type Write } from './journal.ts'
import type { Page } from './page.ts'
import { endOfPrefix, type Paged, type PageRequest } from './paging.ts'
import type { Filter, Rows, Table } from './rows.ts'
import type { Outcome } from './run.ts'
import type { LiveRuns } from './run-store.ts'

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

export interface AddressRow extends Omit<Address, 'status'> {
  /** The project and the URL. */
  uuid: string
  project: string
  /** The run that found it last. The fields down to `declined` are valid while that run is live. */
  run: string | null
  /** `deferred`: the outcome is provisional. */
  state: 'pending' | 'deferred' | 'decided'
  outcome: Outcome | null
  outcomeReason: FrontierState['reason']
  /** The source that deferred the outcome, and the URL of the page that it depends on. */
  deferredBy: string | null
  target: string | null
  /** Sources that list the address, and those that declined it. */
  listedBy: string[]
  declined: string[]
  /** The last visit, with the fields of Address. `status`: index in addressStatuses. */
  status: number
  /** The source of the event, and those that list the page. */
  sources: string[]
}

export const addressTable: Table<AddressRow> = {
  name: 'address',
  fields: `uuid project url run? state outcome? outcomeReason? deferredBy? target? listedBy:json declined:json status:int reason?
    message? at? sourceUuid? httpStatus:int? sources:json`,
  indexes: ['project status url run', 'run state url'],
}

type RunField = 'state' | 'outcome' | 'outcomeReason' | 'deferredBy' | 'target' | 'listedBy' | 'declined'
type LastVisit = Address & Pick<AddressRow, 'sources'>

export const addressId = (project: string, url: string): string => `${project} ${url}`

const toNumber = (status: AddressStatus) => addressStatuses.indexOf(status)
const pending = toNumber('pending')

/** Initial state of an address in a run. */
export const undecided = (): Pick<AddressRow, RunField> => ({
  ...{ state: 'pending', outcome: null, outcomeReason: null },
  ...{ deferredBy: null, target: null, listedBy: [], declined: [] },
})

export function newAddress(project: string, url: string, run: string | null): AddressRow {
  const visit = { ...indexed, status: pending, sources: [] }
  return { uuid: addressId(project, url), project, url, run, ...undecided(), ...visit }
}

/** The fields of the last visit. */
export const toVisit = ({ url, status, ...rest }: LastVisit) => ({ ...rest, status: toNumber(status) })

const fromRow = ({ url, status, reason, message, at, sourceUuid, httpStatus }: AddressRow): Address => ({
  ...{ url, status: addressStatuses[status]!, reason, message, at, sourceUuid, httpStatus },
})

const visitFields = [
  ...(['uuid', 'status', 'reason', 'message', 'at', 'sourceUuid', 'httpStatus', 'sources'] as const),
]

/** Writes the last visit of addresses, known or new, unless it is the same. */
async function visitWrites(
  addresses: Rows<AddressRow>,
  project: string,
  visits: LastVisit[],
): Promise<Write[]> {
  const uuids = visits.map(({ url }) => addressId(project, url))
  const rows = await addresses.pick({ uuid: { $in: uuids } }, visitFields)
  const known = new Map(rows.map((row) => [row.uuid, row]))
  const insert: AddressRow[] = []
  const set: Pick<AddressRow, (typeof visitFields)[number]>[] = []
  for (const [at, visit] of visits.entries()) {
    const changed = { uuid: uuids[at]!, ...toVisit(visit) }
    const before = known.get(changed.uuid)
    if (before === undefined) insert.push({ ...newAddress(project, visit.url, null), ...changed })
    else if (!isDeepStrictEqual({ ...before }, changed)) set.push(changed)
  }
  return [...(insert.length > 0 ? [{ to: addressTable, insert }] : []), ...toSet(addressTable, set)]
}

/** Writes that the pages of these addresses are indexed. */
export function indexedWrites(
  addresses: Rows<AddressRow>,
  project: string,
  pages: Iterable<Pick<Page, 'url' | 'sources'>>,
): Promise<Write[]> {
  const visits = Array.from(pages, ({ url, sources }) => ({ url, ...indexed, sources }))
  return visitWrites(addresses, project, visits)
}

/**
 * Hides the addresses of removed pages, until `forget` deletes them: a batch that is applied late does not insert them again. Those
 * found by the live run remain in its state.
 */
export async function hidingWrites(
  addresses: Rows<AddressRow>,
  { uuid: project, liveRun }: ProjectState,
  pages: Pick<Page, 'url'>[],
): Promise<Write[]> {
  const uuids = pages.map(({ url }) => addressId(project, url))
  const rows = await addresses.pick({ uuid: { $in: uuids } }, ['uuid', 'run', 'status'])
  const hidden = { status: pending, sources: [] }
  const changed = rows.flatMap(({ uuid, run, status }) => {
    if (run === null || run !== liveRun) return [{ uuid, ...hidden, run: null }]
    return status === toNumber('indexed') ? [{ uuid, ...hidden }] : []
  })
  return toSet(addressTable, changed)
}

/** Addresses deleted per step. */
const maxForgotten = 500

export function createAddresses(
  addresses: Rows<AddressRow>,
  journal: Journal,
  live: LiveRuns,
  /** Those of the URLs whose page is indexed. */
  indexedUrls: (project: string, urls: string[]) => Promise<string[]>,
): AddressStore {
  async function toFilter(uuid: string, filter: AddressFilter, after?: string) {
    const project = await journal.project(uuid)
    const { urlPrefix, status, reason, sourceUuid } = filter
    if (project === null || project.deletedSources.includes(sourceUuid ?? '')) return null
    const url = {
      ...(urlPrefix && { $gte: urlPrefix, $lt: endOfPrefix(urlPrefix) }),
      ...(after && { $gt: after }),
    }
    const ofRun = { status: pending, run: project.liveRun ?? '' }
    const visited = addressStatuses.flatMap((each) => (each === 'pending' ? [] : [toNumber(each)]))
    const shown = status === 'pending' ? ofRun : { status: toNumber(status ?? 'indexed') }
    return {
      project: uuid,
      ...(status === undefined ? { $or: [{ status: { $in: visited } }, ofRun] } : shown),
      ...(Object.keys(url).length > 0 && { url }),
      ...(reason !== undefined && { reason }),
      ...(sourceUuid !== undefined && { sources: { $has: [sourceUuid] } }),
    } as Filter<AddressRow>
  }

  return {
    list: async (project, wanted, page) => {
      const filter = await toFilter(project, wanted)
      if (filter === null) return { count: 0, rows: [] }
      const { count, rows } = await addresses.page(filter, 'status url', page)
      return { count, rows: rows.map(fromRow) }
    },
    scan: async (project, wanted, after, limit) => {
      const filter = await toFilter(project, wanted, after)
      return filter === null ? [] : (await addresses.all(filter, 'url', { limit })).map(fromRow)
    },
    find: async (uuid, url) => {
      const project = await journal.project(uuid)
      const row = project && (await addresses.one({ uuid: addressId(uuid, url) }))
      return row === null || (row.status === pending && row.run !== project!.liveRun) ? null : fromRow(row)
    },
    forget: async (run) => {
      const project = (await live.liveProject(run))?.uuid
      if (project === undefined) return
      const prefix = addressId(project, '')
      for (let after = prefix; ; await journal.pause()) {
        const chunk = { uuid: { $gt: after, $lt: endOfPrefix(prefix) }, run: { $not: { $in: [run] } } }
        const rows = await addresses.all(chunk, 'uuid', { limit: maxForgotten })
        if (rows.length === 0) return
        const isLive = await journal.write(project, async ({ liveRun }) => {
          if (liveRun !== run) return { result: false }
          const urls = rows.map(({ url }) => url)
          const staying = new Set(await indexedUrls(project, urls))
          const erase = rows.flatMap(({ uuid, url }) => (staying.has(url) ? [] : [uuid]))
          return { result: true, writes: erase.length === 0 ? [] : [{ to: addressTable, erase }] }
        })
        if (!isLive) return
        after = rows.at(-1)!.uuid
      }
    },
    restore: async (project, restored) => {
      const visits = restored.map((address) => ({ ...address, sources: [address.sourceUuid ?? []].flat() }))
      await journal.write(project, async () => {
        return { result: undefined, writes: await visitWrites(addresses, project, visits) }
      })
    },
  }
}
