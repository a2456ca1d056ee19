// The in-process runner, on the sync thread: what runs, and how it is stopped and resumed.
import { setTimeout as delay } from 'node:timers/promises'
import { isAway } from '../../services/errors.ts'
import type { Run } from '../../services/store/run.ts'
import { type CrawlDeps, createActivities } from '../activities.ts'
import { crawl } from '../crawl.ts'
import { runEvent } from '../events.ts'
import { recrawlPage } from '../recrawl.ts'
import { RunEnded } from '../run-control.ts'
import { createSemaphore } from '../semaphore.ts'
import { removeOrphans, sweepVersions } from '../sweep.ts'
import { takeUpRecrawl, takeUpRun } from '../take-up.ts'
import { createVocabularyKeeper } from '../vocabulary.ts'

export type WorkDeps = Omit<CrawlDeps, 'vocabulary'> & {
  /** Told of errors that no caller waits for. */
  report(error: unknown): void
}

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
  /** Resolves when nothing of the project is under way any more. */
  settled(project: string): Promise<void>
  /** Stops what runs, so that the next process resumes it. */
  close(): Promise<void>
}

interface Work {
  uuid: string
  project: string
}

/** Work that was begun: what is begun behind it waits for it. */
interface Begun {
  /** Resolves when it has got on or ended, and at once where no thread has ended while it stood where it stands. */
  harmless: Promise<unknown>
  /** To be called where something else begins all the same: what ends the thread after that may be the other. */
  acquit(): Promise<void>
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

/** Milliseconds to the next try; the last counts for all that follow. */
const retryDelays = [1_000, 2_000, 4_000, 8_000, 16_000, 30_000]
/** A backend that is away for longer, or work that brings one down each time, is given up: some 50 minutes. */
const maxTries = 100

const sweepAtOnce = 1_000
const recrawlsAtOnce = 4

/**
 * `suspectTimeout`: milliseconds that what is taken up waits for work that may have ended the thread before this one; that
 * may be slow and do no harm.
 */
export function createWork(deps: WorkDeps, { suspectTimeout = 60_000 } = {}): WorkApi {
  const { store, index } = deps
  /** The newest run of each project; an older one that has not ended yet is stopped, and waited for by it. */
  const runs = new Map<string, LiveRun>()
  /** Background jobs: recrawls and sweeps. */
  const jobs = new Set<Live>()
  const recrawlSemaphore = createSemaphore(recrawlsAtOnce)
  let closing = false
  // Nothing starts before units that a kill left without a page are out: new ones would look the same.
  const cleaned = Promise.withResolvers<void>()
  const nothing: Begun = { harmless: cleaned.promise, acquit: async () => {} }
  const now = () => deps.now().toISOString()

  /** Resolves when `after` is harmless or has taken too long, and when the work that waits for it is stopped. */
  async function turnAfter({ harmless, acquit }: Begun, stopped: AbortSignal) {
    await cleaned.promise
    const over = new AbortController()
    const signal = AbortSignal.any([stopped, over.signal])
    const late = delay(suspectTimeout, undefined, { signal, ref: false }).then(acquit, () => {})
    await Promise.race([harmless, late])
    over.abort()
  }

  /** `isHarmless` is called when the run is not, or no longer, one that may have ended the thread before this one. */
  async function execute(run: Run, signal: AbortSignal, isHarmless: () => void) {
    if (signal.aborted) return
    try {
      const deaths = await retryWhileAway(signal, () => takeUpRun(store, run, now()))
      if (deaths === null) return
      if (deaths === 0) isHarmless()
      await retryWhileAway(signal, () => crawlOn(run, signal, isHarmless))
    } catch (error) {
      // Stopped: the store has ended the run already, or the next process resumes it.
      if (signal.aborted) return await letGo(store.runs.release(run.uuid))
      if (error instanceof RunEnded) return
      const message = 'The run met an internal error.'
      const end = { status: 'failed' as const, at: now(), error: message }
      if (await retryWhileAway(signal, () => store.runs.finish(run.uuid, end))) {
        await store.runs.appendLast(run.uuid, runEvent('run_finished', now(), message, { level: 'error' }))
      }
      throw error
    }
  }

  /** From where the store says that the run stands. When it ends, however it does, so do requests that are under way. */
  async function crawlOn(run: Run, stopped: AbortSignal, onProgress: () => void) {
    const ended = new AbortController()
    const signal = AbortSignal.any([stopped, ended.signal])
    const vocabulary = createVocabularyKeeper(deps, run.project, deps.now)
    try {
      await crawl(createActivities({ ...deps, vocabulary }, run, { signal, beat() {}, onProgress }))
    } finally {
      ended.abort()
    }
  }

  const startSync = async (run: Work) => void (await beginSync(run, nothing))

  /** Begins a run `after` something. Answers what the next that is taken up begins after. */
  async function beginSync({ uuid, project }: Work, after: Begun): Promise<Begun> {
    const run = (await store.runs.live()).find((candidate) => candidate.uuid === uuid)
    const before = runs.get(project)
    // Of runs begun at the same time, the calls may come in any order: the newest stays.
    if (closing || run === undefined || (before && before.fence >= run.fence)) return after
    before?.stop.abort()
    const stop = new AbortController()
    const harmless = Promise.withResolvers<void>()
    const ended = Promise.all([turnAfter(after, stop.signal), before?.ended])
      .then(() => execute(run, stop.signal, harmless.resolve))
      .catch((error) => deps.report(error))
      .finally(() => {
        harmless.resolve()
        if (runs.get(project) === live) runs.delete(project)
      })
    const live: LiveRun = { project, uuid, fence: run.fence, stop, ended }
    runs.set(project, live)
    return { harmless: harmless.promise, acquit: () => letGo(store.runs.release(uuid)) }
  }

  function startJob(project: string, work: (signal: AbortSignal) => Promise<void>, after = nothing) {
    if (closing) return
    const stop = new AbortController()
    const ended = turnAfter(after, stop.signal)
      .then(() => work(stop.signal))
      .catch((error) => {
        if (!stop.signal.aborted) deps.report(error)
      })
      .finally(() => jobs.delete(job))
    const job: Live = { project, stop, ended }
    jobs.add(job)
  }

  const startRecrawl = async (recrawl: Work) => void beginRecrawl(recrawl, nothing)

  function beginRecrawl({ uuid, project }: Work, after: Begun): Begun {
    const harmless = Promise.withResolvers<void>()
    const run = (signal: AbortSignal) =>
      recrawlSemaphore.run(project, () => runRecrawl(uuid, project, signal, harmless.resolve), signal)
    startJob(project, (signal) => run(signal).finally(harmless.resolve), after)
    return { harmless: harmless.promise, acquit: () => letGo(store.recrawls.release(uuid)) }
  }

  async function runRecrawl(uuid: string, project: string, signal: AbortSignal, isHarmless: () => void) {
    try {
      const deaths = await retryWhileAway(signal, () => takeUpRecrawl(store, { uuid }, now()))
      if (deaths === null) return
      if (deaths === 0) isHarmless()
      await retryWhileAway(signal, async () => {
        const recrawl = await store.recrawls.get(project, uuid)
        if (recrawl === null) return
        const vocabulary = createVocabularyKeeper(deps, project, deps.now)
        await recrawlPage({ ...deps, vocabulary }, recrawl, { signal, beat() {}, onProgress() {} })
      })
    } catch (error) {
      if (signal.aborted) return await letGo(store.recrawls.release(uuid))
      const end = { status: 'dropped' as const, reason: 'unfetchable' as const, finishedAt: now() }
      await retryWhileAway(signal, () => store.recrawls.settle(uuid, end))
      throw error
    }
  }

  /** It counts no death from here on. Where that cannot be noted, it does. */
  const letGo = (noted: Promise<void>) => noted.catch(() => {})

  /** Whether the process was killed between taking the project out of the store and dropping its index. */
  async function isDeleted(project: string) {
    return (await store.projects.byUuid(project)) === null
  }

  /** Whether the process may have been killed before the last run had stopped writing. */
  async function wasCancelled(project: string) {
    return (await store.runs.latest(project))?.status === 'cancelled'
  }

  async function stopAll(live: Live[]) {
    for (const { stop } of live) stop.abort()
    await Promise.all(live.map(({ ended }) => ended))
  }

  return {
    async resume() {
      const live = await store.runs.live()
      const waiting = await store.recrawls.live()
      const unclean = new Set([...live, ...waiting].map((work) => work.project))
      for (const project of await index.projects()) {
        if (await isDeleted(project)) await index.drop(project)
        else if (await wasCancelled(project)) unclean.add(project)
      }
      for (const project of unclean) await removeOrphans(store, index, project)
      cleaned.resolve()
      // One after the other, so that what ends the thread again takes nobody along.
      let after = nothing
      for (const run of live) after = await beginSync(run, after)
      for (const recrawl of waiting) after = beginRecrawl(recrawl, after)
    },

    startSync,

    async stopSync({ project, uuid }) {
      const live = runs.get(project)
      if (live?.uuid === uuid) live.stop.abort()
    },

    startRecrawl,

    async dropProject(project) {
      await stopAll([...runs.values(), ...jobs].filter((live) => live.project === project))
      await index.drop(project)
    },

    async sweep(project) {
      startJob(project, async (signal) => {
        while (!signal.aborted && (await sweepVersions(store, index, project, sweepAtOnce)) > 0);
      })
    },

    ping: () => index.ping(),

    async settled(project) {
      await Promise.all([runs.get(project)?.ended, ...[...jobs].map(({ ended }) => ended)])
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
async function retryWhileAway<Result>(signal: AbortSignal, work: () => Promise<Result>): Promise<Result> {
  for (let tried = 0; ; tried++) {
    try {
      return await work()
    } catch (error) {
      if (!isAway(error) || tried === maxTries) throw error
    }
    await delay(retryDelays[tried] ?? retryDelays.at(-1), undefined, { signal })
  }
}
