// The in-process runner, on the crawl thread: what runs, and how it is stopped and resumed.
import { isAway } from '../../services/errors.ts'
import { retry } from '../../services/retry.ts'
import { createSemaphore } from '../../services/semaphore.ts'
import type { Run } from '../../services/store/run.ts'
import { type Claim, claimOfRecrawl, claimOfRun, whileClaimed } from '../claim.ts'
import { crawl } from '../crawl.ts'
import { recrawlPage, recrawlsAtOnce } from '../recrawl.ts'
import { type CrawlDeps, RunEnded } from '../run-control.ts'
import { dropRecrawl, endRun, noteResumed } from '../run-endings.ts'
import { withSteps } from '../steps.ts'
import { createSuspectQueue, notSuspect, type Suspect } from '../suspects.ts'
import { findLeftovers, removeOrphans, sweepAll } from '../sweep.ts'

/** A type, not an interface, so that it fits what a thread serves. */
export type WorkApi = {
  /** Resumes the live runs and recrawls that the process before left. Called first, and once. */
  resume(): Promise<void>
  startSync(run: { uuid: string; project: string }): Promise<void>
  stopSync(run: { uuid: string; project: string }): Promise<void>
  startRecrawl(recrawl: { uuid: string; project: string }): Promise<void>
  dropProject(project: string): Promise<void>
  sweep(project: string): Promise<void>
  ping(): Promise<void>
  /** Resolves when nothing is under way. */
  settled(): Promise<void>
  /** Stops what runs, so that the next process resumes it. */
  close(): Promise<void>
}

interface Work {
  uuid: string
  project: string
}

/** What is under way for a project. */
interface Live {
  project: string
  stop: AbortController
  ended: Promise<void>
}

interface LiveRun extends Live {
  uuid: string
  fence: number
}

/** Milliseconds between two tries. A backend that is away for longer, or work that brings one down each time, is given up: some 50 minutes. */
const retryPauses = Array.from({ length: 100 }, (_, at) => Math.min(1_000 * 2 ** at, 30_000))

/** `suspectTimeout`: of the queue of resumed work, in milliseconds. */
export function createWork(
  deps: CrawlDeps,
  { suspectTimeout }: { suspectTimeout?: number | undefined } = {},
): WorkApi {
  const { store, index } = deps
  /** The newest run of each project; an older one that has not ended yet is stopped, and waited for by it. */
  const runs = new Map<string, LiveRun>()
  /** Background jobs: recrawls and sweeps. */
  const jobs = new Set<Live>()
  const recrawlSemaphore = createSemaphore({ max: recrawlsAtOnce })
  const suspects = createSuspectQueue(suspectTimeout)
  let closing = false
  // Nothing starts before units that a kill left without a page are out: new ones would look the same.
  const cleaned = Promise.withResolvers<void>()

  /** Does `work` under the claim; both are tried again while a backend is away. */
  function workUnder(
    { take, release }: Claim,
    signal: AbortSignal,
    suspect: Suspect,
    work: () => Promise<unknown>,
  ) {
    const claim = { take: () => retryWhileAway(signal, take), release }
    return whileClaimed(claim, suspect, () => retryWhileAway(signal, work))
  }

  async function execute(run: Run, signal: AbortSignal, suspect: Suspect, isResumed: boolean) {
    if (signal.aborted) return
    try {
      const control = { signal, beat() {}, onProgress: suspect.clear }
      const claim = claimOfRun(store, run, deps.now)
      await workUnder(claim, signal, suspect, async () => {
        if (isResumed) await noteResumed(store, run, deps.now())
        return withSteps(deps, run, control, crawl)
      })
    } catch (error) {
      // Stopped: the store has ended the run already, or the next process resumes it.
      if (signal.aborted || error instanceof RunEnded) return
      await retryWhileAway(signal, () => endRun(store, run, 'failed', deps.now()))
      throw error
    }
  }

  async function beginSync({ uuid, project }: Work, isResumed: boolean) {
    const run = (await store.runs.live()).find((candidate) => candidate.uuid === uuid)
    const before = runs.get(project)
    // Of runs begun at the same time, the calls may come in any order: the newest stays.
    if (closing || run === undefined || (before && before.fence >= run.fence)) return
    before?.stop.abort()
    const stop = new AbortController()
    const { release } = claimOfRun(store, run, deps.now)
    const entering = isResumed ? suspects.enter(release, stop.signal) : notSuspect
    const ended = whenReady(entering, async (suspect) => {
      await before?.ended
      await execute(run, stop.signal, suspect, isResumed)
    })
      .catch((error) => deps.report(error))
      .finally(() => {
        if (runs.get(project) === live) runs.delete(project)
      })
    const live: LiveRun = { project, uuid, fence: run.fence, stop, ended }
    runs.set(project, live)
  }

  /** Does `work` when the index is clean and, for what is resumed, when it may begin. */
  async function whenReady(entering: Suspect | Promise<Suspect>, work: (suspect: Suspect) => Promise<void>) {
    await cleaned.promise
    const suspect = await entering
    await work(suspect).finally(suspect.clear)
  }

  /** `acquit`: of a job that is resumed. */
  function startJob(
    project: string,
    work: (signal: AbortSignal, suspect: Suspect) => Promise<void>,
    acquit?: () => Promise<void>,
  ) {
    if (closing) return
    const stop = new AbortController()
    const entering = acquit ? suspects.enter(acquit, stop.signal) : notSuspect
    const ended = whenReady(entering, (suspect) => work(stop.signal, suspect))
      .catch((error) => {
        if (!stop.signal.aborted) deps.report(error)
      })
      .finally(() => jobs.delete(job))
    const job: Live = { project, stop, ended }
    jobs.add(job)
  }

  function beginRecrawl({ uuid, project }: Work, isResumed: boolean) {
    const { release } = claimOfRecrawl(store, { uuid }, deps.now)
    startJob(
      project,
      (signal, suspect) =>
        recrawlSemaphore.run(project, () => runRecrawl({ uuid, project }, signal, suspect), signal),
      isResumed ? release : undefined,
    )
  }

  async function runRecrawl({ uuid, project }: Work, signal: AbortSignal, suspect: Suspect) {
    try {
      await workUnder(claimOfRecrawl(store, { uuid }, deps.now), signal, suspect, async () => {
        const recrawl = await store.recrawls.get(project, uuid)
        if (recrawl !== null) await recrawlPage(deps, recrawl, signal)
      })
    } catch (error) {
      if (signal.aborted) return
      await retryWhileAway(signal, () => dropRecrawl(store, uuid, deps.now()))
      throw error
    }
  }

  async function stopAll(live: Live[]) {
    for (const { stop } of live) stop.abort()
    await Promise.all(live.map(({ ended }) => ended))
  }

  return {
    async resume() {
      const live = await store.runs.live()
      const waiting = await store.recrawls.live()
      const { gone, cancelled } = await findLeftovers(store, index)
      for (const project of gone) await index.drop(project)
      const unclean = new Set([...live, ...waiting].map((work) => work.project).concat(cancelled))
      for (const project of unclean) await removeOrphans(store, index, project)
      cleaned.resolve()
      for (const run of live) await beginSync(run, true)
      for (const recrawl of waiting) beginRecrawl(recrawl, true)
    },

    startSync: (run) => beginSync(run, false),

    async stopSync({ project, uuid }) {
      const live = runs.get(project)
      if (live?.uuid === uuid) live.stop.abort()
    },

    startRecrawl: async (recrawl) => beginRecrawl(recrawl, false),

    async dropProject(project) {
      await stopAll([...runs.values(), ...jobs].filter((live) => live.project === project))
      await index.drop(project)
    },

    async sweep(project) {
      startJob(project, async (signal) => {
        await sweepAll(store, index, project, signal)
      })
    },

    ping: () => index.ping(),

    async settled() {
      while (runs.size + jobs.size > 0) {
        await Promise.all([...runs.values(), ...jobs].map(({ ended }) => ended))
      }
    },

    async close() {
      closing = true
      cleaned.resolve()
      await stopAll([...runs.values(), ...jobs])
      await deps.parsePool.close()
      await deps.fetcher.close()
      await index.close()
      await store.close()
    },
  }
}

/** Does `work` again until no backend is away. Rejects with any other error, with the last one, and when `signal` aborts. */
function retryWhileAway<Result>(signal: AbortSignal, work: () => Promise<Result>): Promise<Result> {
  const onFailure = (error: unknown) => {
    if (!isAway(error)) throw error
  }
  return retry(work, retryPauses, { signal, onFailure })
}
