import { setTimeout as delay } from 'node:timers/promises'
import { LRUCache } from 'lru-cache'
import { normalizeUrl } from '../../crawler/url.ts'
import {
  EventLevel,
  EventType,
  RunTrigger,
  type SyncService,
  type WatchSyncResponseSchema,
} from '../../gen/lectern/v1/sync_pb.js'
import { projectOf } from '../context.ts'
import type { EmbeddingProgress } from '../embedding/embedding.ts'
import type { EmbeddingClient } from '../embedding/embedding-client.ts'
import { DomainError } from '../errors.ts'
import { type RowOf, readEnum } from '../message.ts'
import type { Handlers } from '../routes.ts'
import { readPageRequest } from '../store/paging.ts'
import type { Project } from '../store/project.ts'
import type { RunWithCounts } from '../store/run.ts'
import type { Store } from '../store/store.ts'
import { cancelRun, hasSources, isLive, type RunDeps, startRun } from './start-run.ts'

interface SyncDeps extends RunDeps {
  embedding: Pick<EmbeddingClient, 'progress'>
}

export function createSyncService(deps: SyncDeps): Handlers<typeof SyncService> {
  const { store } = deps
  const watch = createRunWatch(deps)

  async function existing(project: Project, uuid: string): Promise<RunWithCounts> {
    const run = await store.runs.get(project.uuid, uuid)
    if (run === null) throw new DomainError('not_found', 'The project has no such sync run.')
    return run
  }

  async function readLatest(project: Project): Promise<RunWithCounts> {
    const run = await store.runs.latest(project.uuid)
    if (run === null) throw new DomainError('never_synced', 'The project has never been synced.')
    return run
  }

  const withProgress = async (run: RunWithCounts) => ({ ...run, embedding: await readProgress(deps, run) })

  return {
    async startSync({ trigger, unlessRunning }, context) {
      const project = projectOf(context)
      if (!(await hasSources(store, project.uuid))) {
        throw new DomainError('no_sources', 'The project has no sources: add one, then start the sync.')
      }
      if (unlessRunning) {
        const latest = await store.runs.latest(project.uuid)
        if (latest && isLive(latest)) {
          throw new DomainError('sync_running', 'A sync of the project is running already.')
        }
      }
      return { run: await startRun(deps, project, readEnum(RunTrigger, trigger) ?? 'api') }
    },

    async cancelSync({ syncUuid }, context) {
      const project = projectOf(context)
      await cancelRun(deps, await existing(project, syncUuid))
      return { run: await existing(project, syncUuid) }
    },

    async getSync({ syncUuid }, context) {
      const project = projectOf(context)
      return { run: await withProgress(await existing(project, syncUuid)) }
    },

    async getLatestSync(_request, context) {
      const project = projectOf(context)
      return { run: await withProgress(await readLatest(project)) }
    },

    async listSyncs(request, context) {
      const project = projectOf(context)
      const { count, rows } = await store.runs.list(project.uuid, readPageRequest(request))
      // The latest run is listed first.
      const [first, ...others] = rows
      return { count, results: first ? [await withProgress(first), ...others] : [] }
    },

    async listSyncEvents(request, context) {
      const run = await existing(projectOf(context), request.syncUuid)
      const { url, reason, sourceUuid } = request
      const filter = {
        level: readEnum(EventLevel, request.level),
        type: readEnum(EventType, request.type),
        url: url ? (normalizeUrl(url) ?? url) : undefined,
        reason: reason || undefined,
        sourceUuid: sourceUuid || undefined,
      }
      const { count, rows } = await store.runs.events(run.uuid, filter, readPageRequest(request))
      return { count, results: rows }
    },

    async *watchSync({ syncUuid }, context) {
      const project = projectOf(context)
      const uuid = syncUuid || (await readLatest(project)).uuid
      yield* watch(project.uuid, uuid, context.signal)
    },
  }
}

const interval = 250
/** Milliseconds over which pages per second are measured. */
const rateWindow = 10_000
/** Minimum milliseconds between two reads of the embedding progress, which query the index. */
const progressInterval = 2_000
/** Maximum events per read. The next read continues. */
const maxEvents = 1_000

interface Snapshot {
  state: RowOf<typeof WatchSyncResponseSchema>
  /** Changes if watchers have to be notified. */
  mark: string
  isLive: boolean
}

/** The state of a watched run, shared by its watchers. */
interface Follower {
  lookedAt: number
  look: Promise<Snapshot> | null
  /** Number of the last event read; null before the first read. */
  sequence: number | null
  url: string | null
  resumed: number
  samples: { at: number; done: number }[]
  progressAt: number
  progress: EmbeddingProgress | null
}

type RunWatchDeps = Pick<SyncDeps, 'embedding'> & { store: Pick<Store, 'runs'> }

/** Null unless it is the latest run of its project. */
async function readProgress({ store, embedding }: RunWatchDeps, { uuid, project }: RunWithCounts) {
  const latest = await store.runs.latest(project)
  return latest?.uuid === uuid ? embedding.progress(project) : null
}

function createRunWatch(deps: RunWatchDeps) {
  const { runs } = deps.store
  const followers = new LRUCache<string, Follower>({ max: 1_000, ttl: 60_000, updateAgeOnGet: true })

  const countEvents = async (uuid: string, type?: string) =>
    (await runs.events(uuid, { type }, { offset: 0, limit: 1 })).count

  /** Reads the last page address and the number of resumptions from new events. */
  async function readLog(follower: Follower, uuid: string) {
    const isFirst = follower.sequence === null
    follower.sequence ??= Math.max(0, (await countEvents(uuid)) - 1)
    const { rows } = await runs.events(uuid, { after: follower.sequence }, { offset: 0, limit: maxEvents })
    follower.sequence = rows.at(-1)?.sequence ?? follower.sequence
    follower.url = rows.findLast(({ url }) => url !== null)?.url ?? follower.url
    if (isFirst || rows.some(({ type }) => type === 'run_resumed'))
      follower.resumed = await countEvents(uuid, 'run_resumed')
  }

  /** Completed pages per second. */
  function readRate({ samples }: Follower, { pages }: RunWithCounts): number {
    const now = performance.now()
    samples.push({ at: now, done: pages.discovered - pages.pending })
    while (samples[0]!.at < now - rateWindow) samples.shift()
    const [first, last] = [samples[0]!, samples.at(-1)!]
    return first === last ? 0 : Math.round(((last.done - first.done) * 10_000) / (last.at - first.at)) / 10
  }

  async function followProgress(follower: Follower, run: RunWithCounts) {
    if (isLive(run) && performance.now() < follower.progressAt + progressInterval) return
    follower.progressAt = performance.now()
    follower.progress = await readProgress(deps, run)
  }

  async function read(follower: Follower, project: string, uuid: string): Promise<Snapshot> {
    const row = await runs.get(project, uuid)
    if (row === null) throw new DomainError('not_found', 'The project has no such sync run.')
    await Promise.all([readLog(follower, uuid), followProgress(follower, row)])
    const { url, resumed, progress } = follower
    const pagesPerSecond = isLive(row) ? readRate(follower, row) : 0
    return {
      state: { run: { ...row, embedding: progress }, resumed, pagesPerSecond, url },
      mark: JSON.stringify([row.status, row.pages, progress, resumed, pagesPerSecond]),
      isLive: isLive(row),
    }
  }

  function look(project: string, uuid: string): Promise<Snapshot> {
    const key = `${project} ${uuid}`
    const follower: Follower = followers.get(key) ?? {
      ...{ lookedAt: 0, look: null, sequence: null, url: null, resumed: 0, samples: [] },
      ...{ progressAt: Number.NEGATIVE_INFINITY, progress: null },
    }
    if (follower.look === null || performance.now() >= follower.lookedAt + interval - 1) {
      follower.lookedAt = performance.now()
      follower.look = read(follower, project, uuid)
      followers.set(key, follower)
    }
    return follower.look
  }

  /** Yields the run's state now and after each change, until it ends. */
  return async function* watch(project: string, uuid: string, signal: AbortSignal) {
    for (let lastMark = ''; ; ) {
      const { state, mark, isLive } = await look(project, uuid)
      if (mark !== lastMark) yield state
      lastMark = mark
      if (!isLive) return
      await delay(interval, undefined, { signal })
    }
  }
}
