// Recovery from the death of a process, thread or worker. At start, a process resumes every live run and recrawl, counts the attempt,
// and fails the work after three attempts without progress. When a run starts, the index is checked against the store.
import pTimeout from 'p-timeout'
import type { SearchIndex, Unit } from '../services/index/search-index.ts'
import type { Page, PageVersion } from '../services/store/page.ts'
import type { RunKey } from '../services/store/run.ts'
import type { Store } from '../services/store/store.ts'
import { faultMessage, finishRun } from '../services/sync/start-run.ts'
import { runEvent } from './events.ts'
import type { CrawlDeps, RunControl } from './run-control.ts'

/** Maximum attempts without progress that end with the death of their thread or process. */
const maxAttempts = 3

const givenUp = `The run was interrupted ${maxAttempts} times at the same place, and failed.`

interface AttemptOptions {
  /** Whether an earlier attempt may have ended its thread or process. */
  isResumed: boolean
  signal: AbortSignal
}

/** Runs `work` as a counted attempt. `work` calls `onProgress` when it has stored something. Null: the work has ended or failed. */
type Attempt = <Result>(
  row: RunKey,
  options: AttemptOptions,
  work: (onProgress: () => void) => Promise<Result>,
) => Promise<Result | null>

interface RecoveryOptions {
  /** Milliseconds that resumed work waits for slow work before it. After that, attempts of the slow work are not counted. */
  turnTimeout?: number | undefined
  /** Retries `work` while a backend is unavailable. */
  retry?<Result>(signal: AbortSignal, work: () => Promise<Result>): Promise<Result>
}

/**
 * Counts attempts that end with the death of their process or thread. Resumed work starts in sequence: each waits until the one before
 * has made progress or ended, so that only the work that kills the thread is blamed.
 */
export function createRecovery(
  { store, now }: Pick<CrawlDeps, 'store' | 'now'>,
  { turnTimeout = 60_000, retry = (_signal, work) => work() }: RecoveryOptions = {},
) {
  /** The resumed work that started last. */
  let last = { settled: Promise.resolve(), release: async () => {} }

  function attempts(
    counter: { claim(uuid: string): Promise<number>; release(uuid: string): Promise<void> },
    giveUp: (row: RunKey) => Promise<void>,
    resume = async (_row: RunKey) => {},
  ): Attempt {
    return async (row, { isResumed, signal }, work) => {
      const { uuid } = row
      const release = () => counter.release(uuid).catch(() => {})
      const { promise: settled, resolve: settle } = Promise.withResolvers<void>()
      try {
        if (isResumed) {
          const before = last
          last = { settled, release }
          await pTimeout(before.settled, { milliseconds: turnTimeout, fallback: before.release, signal })
        }
        const count = await retry(signal, () => counter.claim(uuid))
        if (count > maxAttempts) await giveUp(row)
        if (count === 0 || count > maxAttempts) return null
        if (count === 1) settle()
        const begin = async () => {
          if (isResumed) await resume(row)
          return work(settle)
        }
        return await retry(signal, begin).finally(release)
      } finally {
        settle()
      }
    }
  }

  return {
    run: attempts(
      store.runs,
      async (run) => {
        await finishRun(store, run, { status: 'failed', at: now().toISOString(), error: givenUp })
      },
      (run) => logResumed(store, run, now()),
    ),
    recrawl: attempts(store.recrawls, ({ uuid }) => dropRecrawl(store, uuid, now())),
  }
}

export type Recovery = ReturnType<typeof createRecovery>

/** Ends the run if it has not ended. */
export async function endRun(store: Store, run: RunKey, status: 'failed' | 'cancelled', at: Date) {
  const error = status === 'failed' ? faultMessage : null
  await finishRun(store, run, { status, at: at.toISOString(), error })
}

/** Logs that a run continues after its process died, once per state of its counts. Not for a run that had not started. */
async function logResumed(store: Store, { uuid, project }: RunKey, at: Date): Promise<void> {
  const run = await store.runs.get(project, uuid)
  if (run?.status !== 'running') return
  const { discovered, pending, removed } = run.pages
  const message = `The run continues after its process ended. ${discovered - pending} of ${discovered} pages were done.`
  const id = `run_resumed:${discovered} ${pending} ${removed}`
  await store.runs.append(uuid, [
    runEvent('run_resumed', at.toISOString(), message, { id, level: 'warning' }),
  ])
}

/** Ends a live recrawl as dropped. */
export async function dropRecrawl(store: Store, uuid: string, at: Date): Promise<void> {
  const message = 'The recrawl failed with an internal error, or was interrupted too often.'
  const end = { status: 'dropped', reason: 'unfetchable', message, finishedAt: at.toISOString() } as const
  await store.recrawls.settle(uuid, end)
}

/** Finds projects that may have leftovers of a kill in the index: interrupted deletions, and runs that may have been writing. */
export async function findLeftovers(store: Store, index: SearchIndex) {
  const deleted: string[] = []
  const cancelled: string[] = []
  for (const project of await index.projects()) {
    if ((await store.projects.byUuid(project)) === null) deleted.push(project)
    else if ((await store.runs.latest(project))?.status === 'cancelled') cancelled.push(project)
  }
  return { deleted, cancelled }
}

/** Pages per call of the store or the index. */
const batch = 1_000
/** Pages whose text is in memory at the same time. */
const contentBatch = 50
const sweepBatch = 5_000

/** Removes up to `limit` superseded and deleted versions from the index. Returns how many. Can be repeated after a kill. */
export async function sweepVersions(store: Store, index: SearchIndex, project: string, limit: number) {
  const versions = await store.pages.swept(project, limit)
  if (versions.length > 0) {
    await index.remove(project, versions)
    await store.pages.forget(project, versions)
  }
  return versions.length
}

/** Sweeps until nothing is left. Rejects with the signal's reason when it aborts. */
export async function sweepAll(store: Store, index: SearchIndex, project: string, signal: AbortSignal) {
  do signal.throwIfAborted()
  while ((await sweepVersions(store, index, project, sweepBatch)) > 0)
}

/**
 * Makes the index consistent with the store: removes units of versions that never became current because of a kill, and restores lost
 * units from the stored text. Returns how many pages were restored.
 */
export async function repairIndex(
  deps: CrawlDeps,
  project: string,
  { signal, beat }: Pick<RunControl, 'signal' | 'beat'>,
): Promise<number> {
  const { store, index } = deps
  const indexed = new Map<string, number[]>()
  for await (const { page, version } of index.versions(project)) {
    signal.throwIfAborted()
    indexed.set(page, [...(indexed.get(page) ?? []), version])
  }
  if ((await removeOrphans(deps, project, indexed)) === (await store.pages.count(project))) return 0

  let restored = 0
  for (let after: string | null = null; ; ) {
    const pages = await store.pages.scan(project, after, batch)
    if (pages.length === 0) return restored
    after = pages.at(-1)!.uuid
    const lost = pages.filter(({ uuid, version }) => !indexed.get(uuid)?.includes(version))
    for (const some of slices(lost, contentBatch)) {
      signal.throwIfAborted()
      await restoreUnits(deps, project, signal, some)
      beat()
    }
    restored += lost.length
  }
}

/** Returns how many pages have their current version in the index. `indexed`: page → versions with units. */
async function removeOrphans(
  { store, index, abandonedVersion }: CrawlDeps,
  project: string,
  indexed: Map<string, number[]>,
) {
  let complete = 0
  for (const pages of slices([...indexed.keys()], batch)) {
    const current = await store.pages.current(pages)
    const orphans: PageVersion[] = []
    for (const page of pages) {
      for (const version of indexed.get(page)!) {
        if (version === current.get(page)) complete += 1
        else if (version < abandonedVersion()) orphans.push({ page, version })
      }
    }
    if (orphans.length > 0) await index.remove(project, orphans)
  }
  return complete
}

async function restoreUnits(
  { store, index, parsePool }: CrawlDeps,
  project: string,
  signal: AbortSignal,
  pages: Page[],
) {
  const units = await Promise.all(
    pages.map(async ({ uuid, version, url, sourceType }): Promise<Unit[]> => {
      const content = await store.pages.content(uuid)
      if (content === null) return []
      return parsePool.units({ uuid, version, url, sourceType }, content, { project, signal })
    }),
  )
  await index.add(project, units.flat())
  // A page that was published or removed meanwhile has other units, or none. The added ones may have its newer text.
  const current = await store.pages.current(pages.map(({ uuid }) => uuid))
  const replaced = pages
    .map(({ uuid, version }) => ({ page: uuid, version }))
    .filter(({ page, version }) => current.get(page) !== version)
  if (replaced.length > 0) await index.remove(project, replaced)
}

function* slices<Item>(items: Item[], size: number): Generator<Item[]> {
  for (let start = 0; start < items.length; start += size) yield items.slice(start, start + size)
}
