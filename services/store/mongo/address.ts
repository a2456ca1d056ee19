// The addresses of a project. Each is a document with its state in the live run, and the outcome of its last visit.
import type { Filter } from 'mongodb'
import { type Address, type AddressFilter, type AddressStore, addressStatuses, indexed } from '../address.ts'
import type { FrontierState } from '../frontier.ts'
import { endOfPrefix } from '../paging.ts'
import type { Outcome } from '../run.ts'
import type { MongoDb, MongoRow } from './connection.ts'
import { type Journal, type ProjectRow, readProject, toSet, type Write } from './journal.ts'
import { type PageRow, pageRows } from './page-row.ts'
import { chunked, findByIds } from './row.ts'
import type { LiveRuns } from './run-row.ts'

export interface AddressRow extends MongoRow, Omit<Address, 'status'> {
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
  /** Number of the last batch that wrote it. */
  seq?: number
}

type RunField = 'state' | 'outcome' | 'outcomeReason' | 'deferredBy' | 'target' | 'listedBy' | 'declined'

/** Addresses deleted per step. */
const maxForgotten = 500

export const addressRows = (db: MongoDb) => db.collection<AddressRow>('addresses')

export const addressId = (project: string, url: string): string => `${project} ${url}`

const toNumber = (status: Address['status']) => addressStatuses.indexOf(status)
export const pending = toNumber('pending')

/** Initial state of an address in a run. */
export const undecided = (): Pick<AddressRow, RunField> => ({
  ...{ state: 'pending', outcome: null, outcomeReason: null },
  ...{ deferredBy: null, target: null, listedBy: [], declined: [] },
})

export function newAddress(project: string, url: string, run: string | null): AddressRow {
  const visit = { ...indexed, status: pending, sources: [] }
  return { _id: addressId(project, url), project, url, run, ...undecided(), ...visit }
}

type LastVisit = Address & Pick<AddressRow, 'sources'>

/** The fields of the last visit. */
export const toVisit = ({ url, status, ...rest }: LastVisit) => ({ ...rest, status: toNumber(status) })

const toAddress = ({ url, status, reason, message, at, sourceUuid, httpStatus }: AddressRow): Address => ({
  ...{ url, status: addressStatuses[status]!, reason, message, at, sourceUuid, httpStatus },
})

/** Writes the last visit of addresses, known or new. */
export function addressWrites(project: string, visits: LastVisit[]): Write[] {
  const insert = visits.map((visit) => ({ ...newAddress(project, visit.url, null), ...toVisit(visit) }))
  const set = visits.map((visit) => ({ _id: addressId(project, visit.url), ...toVisit(visit) }))
  return visits.length === 0 ? [] : [{ to: 'addresses', insert }, ...toSet('addresses', set)]
}

/**
 * Hides the addresses of removed pages, until `forget` deletes them: a batch that is applied late does not insert them again. Those
 * found by the live run remain in its state.
 */
export async function removedAddresses(db: MongoDb, { _id, liveRun }: ProjectRow, pages: PageRow[]) {
  const ids = pages.map(({ url }) => addressId(_id, url))
  const rows = await findByIds(addressRows(db), ids)
  const hidden = { status: pending, sources: [] }
  const changed = rows.flatMap(({ _id, run, status }) => {
    if (run !== liveRun) return [{ _id, ...hidden, run: null }]
    return status === toNumber('indexed') ? [{ _id, ...hidden }] : []
  })
  return toSet('addresses', changed)
}

export function createAddresses(db: MongoDb, journal: Journal, live: LiveRuns): AddressStore {
  const addresses = addressRows(db)

  async function find(uuid: string, filter: AddressFilter, after?: string) {
    const project = await readProject(db, uuid)
    const { urlPrefix, status, reason, sourceUuid } = filter
    if (project === null || project.deletedSources.includes(sourceUuid ?? '')) return null
    const url = {
      ...(urlPrefix && { $gte: urlPrefix, $lt: endOfPrefix(urlPrefix) }),
      ...(after && { $gt: after }),
    }
    return {
      project: uuid,
      ...(status === undefined
        ? { $or: [{ status: { $ne: pending } }, { status: pending, run: project.liveRun ?? '' }] }
        : { status: toNumber(status), ...(status === 'pending' && { run: project.liveRun ?? '' }) }),
      ...(Object.keys(url).length > 0 && { url }),
      ...(reason !== undefined && { reason }),
      ...(sourceUuid !== undefined && { sources: sourceUuid }),
    } as Filter<AddressRow>
  }

  return {
    list: async (project, wanted, { offset, limit }) => {
      const filter = await find(project, wanted)
      if (filter === null) return { count: 0, rows: [] }
      const rows = addresses.find(filter).sort({ status: 1, url: 1 }).skip(offset).limit(limit)
      return { count: await addresses.countDocuments(filter), rows: (await rows.toArray()).map(toAddress) }
    },
    scan: async (project, wanted, after, limit) => {
      const filter = await find(project, wanted, after)
      if (filter === null) return []
      return (await addresses.find(filter).sort({ url: 1 }).limit(limit).toArray()).map(toAddress)
    },
    find: async (uuid, url) => {
      const project = await readProject(db, uuid)
      const row = project && (await addresses.findOne({ _id: addressId(uuid, url) }))
      return row === null || (row.status === pending && row.run !== project!.liveRun) ? null : toAddress(row)
    },
    forget: async (uuid) => {
      const project = await live.liveProject(uuid)
      if (project === null) return
      const old = addresses
        .find({ project: project._id, run: { $ne: uuid } }, { projection: { url: 1 } })
        .sort({ _id: 1 })
      for await (const rows of chunked(old, maxForgotten)) {
        const urls = rows.map(({ url }) => url)
        const isLive = await journal.write(project._id, async ({ liveRun }) => {
          if (liveRun !== uuid) return { result: false }
          const pages = await pageRows(db)
            .find({ project: project._id, state: 'current', url: { $in: urls } }, { projection: { url: 1 } })
            .toArray()
          const staying = new Set(pages.map(({ url }) => url))
          const erase = rows.flatMap(({ _id, url }) => (staying.has(url) ? [] : [_id]))
          return { result: true, writes: [{ to: 'addresses', erase }] }
        })
        if (!isLive) return
      }
    },
    restore: async (project, restored) => {
      await journal.write(project, async () => {
        const visits = restored.map((address) => ({ ...address, sources: [address.sourceUuid ?? []].flat() }))
        return { result: undefined, writes: addressWrites(project, visits) }
      })
    },
  }
}
