// Recrawls of single pages and their outcomes.
import { createSemaphore } from '../semaphore.ts'
import type { Paged, PageRequest } from './paging.ts'
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

/** `claims`: number of claims since the last release. */
type StoredRecrawl = Recrawl & { claims: number }

export const recrawlTable: Table<StoredRecrawl> = {
  name: 'recrawl',
  fields: 'uuid project url status reason? detail? message? createdAt finishedAt? claims:int',
  isOfProject: true,
  indexes: ['project createdAt uuid', 'project status url', 'status createdAt uuid'],
}

const live: { $in: RecrawlStatus[] } = { $in: ['queued', 'running'] }
const ended: { $in: RecrawlStatus[] } = { $in: ['indexed', 'unchanged', 'dropped'] }

/** Ended recrawls deleted per call of `enqueue`. */
const maxDeleted = 1_000

const toRecrawl = ({ claims, ...recrawl }: StoredRecrawl): Recrawl => recrawl

export type RecrawlStore = ReturnType<typeof createRecrawls>

export function createRecrawls(recrawls: Rows<StoredRecrawl>) {
  /** Serializes this process's calls of `enqueue` for a project. */
  const queues = createSemaphore({ max: Number.POSITIVE_INFINITY, maxOfGroup: 1 })

  const insert = async (recrawl: Recrawl) => recrawls.insert({ ...recrawl, claims: 0 })

  async function enqueue(
    recrawl: Recrawl,
    { maxLive, maxEnded }: { maxLive: number; maxEnded: number },
  ): Promise<Recrawl | null> {
    const { project, url } = recrawl
    const same = await recrawls.one({ project, url, status: 'queued' })
    if (same !== null) return toRecrawl(same)
    const { count } = await recrawls.page({ project, status: live }, oldestFirst, { offset: 0, limit: 1 })
    if (count >= maxLive || !(await insert(recrawl))) return null
    const rest = { offset: maxEnded, limit: maxDeleted }
    const old = await recrawls.all({ project, status: ended }, newestFirst, rest)
    if (old.length > 0) await recrawls.delete({ uuid: { $in: old.map(({ uuid }) => uuid) } })
    return recrawl
  }

  return {
    insert: async (recrawl: Recrawl) => void (await insert(recrawl)),
    /**
     * Inserts a queued recrawl and returns it, or returns the queued recrawl of the same URL if there is one. Writes nothing and
     * returns null if the project has `maxLive` live recrawls, or is deleted. Deletes all but the newest `maxEnded` ended
     * recrawls. Concurrent calls of several processes may queue a URL twice, or exceed a limit by one each.
     */
    enqueue: (recrawl: Recrawl, limits: { maxLive: number; maxEnded: number }) =>
      queues.run(recrawl.project, () => enqueue(recrawl, limits)),
    /** Claims the recrawl: see RunStore.claim. Returns the number of claims since the last release; 0 if its status is final. */
    async claim(uuid: string): Promise<number> {
      // Repeated if another call claims it meanwhile.
      for (;;) {
        const row = await recrawls.one({ uuid, status: live })
        if (row === null) return 0
        const claims = row.claims + 1
        if (await recrawls.set({ uuid, claims: row.claims }, { claims })) return claims
      }
    },
    release: async (uuid: string) => void (await recrawls.set({ uuid }, { claims: 0 })),
    async get(project: string, uuid: string): Promise<Recrawl | null> {
      const row = await recrawls.one({ uuid, project })
      return row && toRecrawl(row)
    },
    /** Newest first. */
    async list(project: string, page: PageRequest): Promise<Paged<Recrawl>> {
      const { count, rows } = await recrawls.page({ project }, newestFirst, page)
      return { count, rows: rows.map(toRecrawl) }
    },
    /** Recrawls without a final status, oldest first. */
    live: async () => (await recrawls.all({ status: live }, oldestFirst)).map(toRecrawl),
    /** Changes the status unless it is final. False if it is final or the recrawl is unknown. */
    settle: async (uuid: string, to: RecrawlOutcome) =>
      recrawls.set({ uuid, status: live }, { detail: null, message: null, ...to }),
  }
}
