// The in-process runner on the crawl thread. Starts, stops and resumes work.
import { isAway } from '../../services/errors.ts'
import { retry } from '../../services/retry.ts'
import { createSemaphore } from '../../services/semaphore.ts'
import type { Run, RunKey } from '../../services/store/run.ts'
import { crawl } from '../crawl.ts'
import { createRecovery, dropRecrawl, endRun, findLeftovers, repairIndex, sweepAll } from '../recovery.ts'
import { recrawlPage, recrawlsAtOnce } from '../recrawl.ts'
import { type CrawlDeps, newVersion, RunEnded } from '../run-control.ts'
import { withSteps } from '../steps.ts'

export type WorkApi = ReturnType<typeof createWork>

/** Pending work of a project: a run, with its fence, or a recrawl or a sweep. */
interface Job {
  project: string
  run?: { uuid: string; fence: number }
  stop: AbortController
  ended: Promise<void>
}

interface WorkOptions {
  /** Milliseconds: see RecoveryOptions. */
  turnTimeout?: number | undefined
  /** Milliseconds between attempts while a backend is unavailable. After the last, some 50 minutes, the work fails. */
  retryPauses?: number[]
}

const defaultPauses = Array.from({ length: 100 }, (_, position) => Math.min(1_000 * 2 ** position, 30_000))

export function createWork(
  resources: Omit<CrawlDeps, 'abandonedVersion'>,
  { turnTimeout, retryPauses = defaultPauses }: WorkOptions = {},
) {
  const { store, index, now } = resources
  // The only writer: older versions belong to a process or thread that has ended.
  const firstVersion = newVersion(now())
  const deps: CrawlDeps = { ...resources, abandonedVersion: () => firstVersion }
  const jobs = new Set<Job>()
  const recrawlSemaphore = createSemaphore({ max: recrawlsAtOnce })
  const recovery = createRecovery(deps, { turnTimeout, retry: retryWhileUnavailable })
  const closing = new AbortController()

  /** Rejects with other errors, with the error of the last attempt, and when `signal` aborts. */
  function retryWhileUnavailable<Result>(signal: AbortSignal, work: () => Promise<Result>): Promise<Result> {
    const onFailure = (error: unknown) => {
      if (!isAway(error)) throw error
    }
    return retry(work, retryPauses, { signal, onFailure })
  }

  function begin(project: string, work: (signal: AbortSignal) => Promise<void>, run?: Job['run']) {
    if (closing.signal.aborted) return
    const stop = new AbortController()
    const ended = work(stop.signal)
      .catch((error) => {
        if (!stop.signal.aborted) deps.report(error)
      })
      .finally(() => jobs.delete(job))
    const job: Job = { project, stop, ended, ...(run && { run }) }
    jobs.add(job)
  }

  const listJobs = (project: string) => [...jobs].filter((job) => job.project === project)

  /** Stops the project's last run, and waits for its end. */
  async function beginSync({ uuid, project }: RunKey, isResumed: boolean) {
    const run = (await store.runs.live()).find((candidate) => candidate.uuid === uuid)
    const before = listJobs(project).filter((job) => job.run)
    // Calls for runs that start at the same time may arrive in any order. The newest run wins.
    if (run === undefined || before.some((job) => job.run!.fence >= run.fence)) return
    for (const { stop } of before) stop.abort()
    begin(
      project,
      async (signal) => {
        await Promise.all(before.map(({ ended }) => ended))
        await sync(run, isResumed, signal)
      },
      run,
    )
  }

  async function sync(run: Run, isResumed: boolean, signal: AbortSignal) {
    try {
      await recovery.run(run, { isResumed, signal }, (onProgress) =>
        withSteps(deps, run, { signal, beat() {}, onProgress }, crawl),
      )
    } catch (error) {
      // Stopped: the run has ended in the store, or the next process resumes it.
      if (signal.aborted || error instanceof RunEnded) return
      await retryWhileUnavailable(signal, () => endRun(store, run, 'failed', now()))
      throw error
    }
  }

  function beginRecrawl(key: RunKey, isResumed: boolean) {
    const { uuid, project } = key
    async function work(signal: AbortSignal) {
      try {
        await recovery.recrawl(key, { isResumed, signal }, () => recrawlPage(deps, key, signal))
      } catch (error) {
        if (signal.aborted) return
        await retryWhileUnavailable(signal, () => dropRecrawl(store, uuid, now()))
        throw error
      }
    }
    begin(project, (signal) => recrawlSemaphore.run(project, () => work(signal), signal))
  }

  async function stopAll(live: Job[]) {
    for (const { stop } of live) stop.abort()
    await Promise.all(live.map(({ ended }) => ended))
  }

  return {
    /** Resumes the live runs and recrawls of the last process. Called first, and once. */
    async resume() {
      const { deleted, cancelled } = await findLeftovers(store, index)
      for (const project of deleted) await index.drop(project)
      for (const project of cancelled) await repairIndex(deps, project, { signal: closing.signal, beat() {} })
      for (const run of await store.runs.live()) await beginSync(run, true)
      for (const recrawl of await store.recrawls.live()) beginRecrawl(recrawl, true)
    },

    startSync: (run: RunKey) => beginSync(run, false),

    async stopSync({ uuid }: RunKey) {
      for (const { run, stop } of jobs) if (run?.uuid === uuid) stop.abort()
    },

    startRecrawl: async (recrawl: RunKey) => beginRecrawl(recrawl, false),

    async dropProject(project: string) {
      await stopAll(listJobs(project))
      await index.drop(project)
    },

    sweep: async (project: string) => begin(project, (signal) => sweepAll(store, index, project, signal)),

    /** Resolves when no work is pending. */
    async settled() {
      while (jobs.size > 0) await Promise.all([...jobs].map(({ ended }) => ended))
    },

    /** Stops all work. The next process resumes it. */
    async close() {
      closing.abort()
      await stopAll([...jobs])
      await deps.parsePool.close()
      await deps.fetcher.close()
      await index.close()
      await store.close()
    },
  }
}
