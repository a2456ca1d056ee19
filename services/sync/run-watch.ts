// Watching a run: the store is read once for all who watch it, several times a second.
import { setTimeout as delay } from 'node:timers/promises'
import { LRUCache } from 'lru-cache'
import type { WatchSyncResponse } from '../../gen/lectern/v1/sync_pb.js'
import type { EmbeddingProgress } from '../embedding/embedding.ts'
import type { EmbeddingClient } from '../embedding/embedding-client.ts'
import { DomainError } from '../errors.ts'
import { withoutNulls } from '../message.ts'
import type { RunWithCounts } from '../store/run.ts'
import type { Store } from '../store/store.ts'
import { isLive } from './start-run.ts'
import { toRun } from './sync-message.ts'

const interval = 250
/** Milliseconds over which pages a second are counted. */
const rateWindow = 10_000
/** Embedding progress is a query of the index. */
const progressInterval = 2_000
/** Events that are read at once; more are read the next time. */
const maxEvents = 1_000

interface Look {
  state: Pick<WatchSyncResponse, 'run' | 'url' | 'resumed' | 'pagesPerSecond'>
  /** Differs between two looks at which watchers see something else. */
  mark: string
  isLive: boolean
}

/** What is known of a run between two looks at it. */
interface Follower {
  lookedAt: number
  look: Promise<Look> | null
  /** The last event that was read; null before the first look. */
  sequence: number | null
  url: string | null
  resumed: number
  samples: { at: number; done: number }[]
  progressAt: number
  progress: EmbeddingProgress | null
}

interface RunWatchDeps {
  store: Pick<Store, 'runs'>
  embedding: Pick<EmbeddingClient, 'progress'>
}

export function createRunWatch({ store: { runs }, embedding }: RunWatchDeps) {
  const followers = new LRUCache<string, Follower>({ max: 1_000, ttl: 60_000, updateAgeOnGet: true })

  const countEvents = async (uuid: string, type?: string) =>
    (await runs.events(uuid, { type }, { offset: 0, limit: 1 })).count

  /** The page that was read last, and how often the run was resumed: from the events since the last look. */
  async function readLog(follower: Follower, uuid: string) {
    const isFirst = follower.sequence === null
    follower.sequence ??= Math.max(0, (await countEvents(uuid)) - 1)
    const { rows } = await runs.events(uuid, { after: follower.sequence }, { offset: 0, limit: maxEvents })
    follower.sequence = rows.at(-1)?.sequence ?? follower.sequence
    follower.url = rows.findLast(({ url }) => url !== null)?.url ?? follower.url
    if (isFirst || rows.some(({ type }) => type === 'run_resumed'))
      follower.resumed = await countEvents(uuid, 'run_resumed')
  }

  /** Pages a second that got an outcome. */
  function readRate({ samples }: Follower, { pages }: RunWithCounts): number {
    const now = performance.now()
    samples.push({ at: now, done: pages.discovered - pages.pending })
    while (samples[0]!.at < now - rateWindow) samples.shift()
    const [first, last] = [samples[0]!, samples.at(-1)!]
    return first === last ? 0 : Math.round(((last.done - first.done) * 10_000) / (last.at - first.at)) / 10
  }

  /** Of the latest run only: older ones have no progress. */
  async function readProgress(follower: Follower, run: RunWithCounts) {
    if (isLive(run) && performance.now() < follower.progressAt + progressInterval) return
    follower.progressAt = performance.now()
    const progress = await embedding.progress(run.project)
    const latest = progress && (await runs.latest(run.project))
    follower.progress = latest?.uuid === run.uuid ? progress : null
  }

  async function read(follower: Follower, project: string, uuid: string): Promise<Look> {
    const row = await runs.get(project, uuid)
    if (row === null) throw new DomainError('not_found', 'The project has no such sync run.')
    await Promise.all([readLog(follower, uuid), readProgress(follower, row)])
    const { url, resumed, progress } = follower
    const pagesPerSecond = isLive(row) ? readRate(follower, row) : 0
    return {
      state: { run: toRun(row, progress), resumed, pagesPerSecond, ...withoutNulls({ url }) },
      mark: JSON.stringify([row.status, row.pages, progress, resumed, pagesPerSecond]),
      isLive: isLive(row),
    }
  }

  function look(project: string, uuid: string): Promise<Look> {
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

  /** The run's state now and after each change, until it has ended. */
  return async function* watch(project: string, uuid: string, signal: AbortSignal) {
    for (let shown = ''; ; ) {
      const { state, mark, isLive } = await look(project, uuid)
      if (mark !== shown) yield state
      shown = mark
      if (!isLive) return
      await delay(interval, undefined, { signal })
    }
  }
}
