// Recrawls of single pages and their outcomes.
import type { Journal } from './journal.ts'
import type { PageRequest } from './paging.ts'
import { newestFirst, oldestFirst, type Rows, type Table } from './rows.ts'

export type RecrawlStatus = 'queued' | 'running' | 'indexed' | 'unchanged' | 'dropped'
export type DropReason = 'unfetchable' | 'excluded' | 'no_content' | 'page_limit' | 'duplicate'

export interface Recrawl {
  uuid: string
  project: string
  url: string
  status: RecrawlStatus
  reason: DropReason | null
  /** Reason and sentence of the event log, if there is a reason; else null. */
  detail: string | null
  message: string | null
  createdAt: string
  finishedAt: string | null
}

/** `detail` and `message` default to null. */
export type RecrawlOutcome = Pick<Recrawl, 'status' | 'reason' | 'finishedAt'> &
  Partial<Pick<Recrawl, 'detail' | 'message'>>

interface RecrawlRow extends Recrawl {
  /** Number of claims since the last release. */
  claims: number
}

export const recrawlTable: Table<RecrawlRow> = {
  name: 'recrawl',
  fields: 'uuid project url status reason? detail? message? createdAt finishedAt? claims:int',
  isOfProject: true,
  indexes: ['project createdAt uuid', 'project status url', 'status createdAt uuid'],
}

/** Maximum recrawls deleted by a call. */
const maxTrimmed = 1_000

const liveStatuses: RecrawlStatus[] = ['queued', 'running']
const isLive = { $in: liveStatuses }

const toRow = (recrawl: Recrawl): RecrawlRow => ({ ...recrawl, claims: 0 })
const toRecrawl = ({ claims, ...recrawl }: RecrawlRow): Recrawl => recrawl

export type RecrawlStore = ReturnType<typeof createRecrawls>

export function createRecrawls(recrawls: Rows<RecrawlRow>, journal: Journal) {
  async function trim(project: string, maxEnded: number) {
    const isEnded = { $not: isLive }
    const old = await recrawls.all({ project, status: isEnded }, newestFirst, {
      offset: maxEnded,
      limit: maxTrimmed,
    })
    if (old.length > 0) await recrawls.delete({ uuid: { $in: old.map(({ uuid }) => uuid) } })
  }

  return {
    insert: async (recrawl: Recrawl) => void (await recrawls.insert(toRow(recrawl))),
    /**
     * Inserts a queued recrawl and returns it, or returns the queued recrawl of the same URL if there is one. Writes nothing and
     * returns null if the project has `maxLive` live recrawls, or is deleted. Deletes all but the newest `maxEnded` ended
     * recrawls.
     */
    async enqueue(recrawl: Recrawl, { maxLive, maxEnded }: { maxLive: number; maxEnded: number }) {
      const { project, url } = recrawl
      const queued = await journal.write<Recrawl | null>(project, async () => {
        const same = await recrawls.one({ project, url, status: 'queued' })
        if (same !== null) return { result: toRecrawl(same) }
        const { count } = await recrawls.page({ project, status: isLive }, newestFirst, {
          offset: 0,
          limit: 1,
        })
        if (count >= maxLive) return { result: null }
        return { result: recrawl, writes: [{ to: recrawlTable, insert: [toRow(recrawl)] }] }
      })
      if (queued === recrawl) await trim(project, maxEnded)
      return queued
    },
    get: async (project: string, uuid: string) => {
      const row = await recrawls.one({ uuid, project })
      return row && toRecrawl(row)
    },
    /** Newest first. */
    list: async (project: string, page: PageRequest) => {
      const { count, rows } = await recrawls.page({ project }, newestFirst, page)
      return { count, rows: rows.map(toRecrawl) }
    },
    /** Recrawls without a final status, oldest first. */
    live: async () => (await recrawls.all({ status: isLive }, oldestFirst)).map(toRecrawl),
    /** Changes the status unless it is final. False if it is final or the recrawl is unknown. */
    settle: async (uuid: string, to: RecrawlOutcome) =>
      recrawls.set({ uuid, status: isLive }, { detail: null, message: null, ...to }),
    /** Claims the recrawl: see RunStore.claim. Returns the number of claims since the last release; 0 if its status is final. */
    claim: async (uuid: string) =>
      (await recrawls.increment({ uuid, status: isLive }, 'claims', 1))?.claims ?? 0,
    release: async (uuid: string) => void (await recrawls.set({ uuid }, { claims: 0 })),
  }
}
