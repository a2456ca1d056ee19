// The runs that this worker has claimed: what their steps keep in memory, and the watch that stops them.
import type { Run } from '../../services/store/run.ts'
import { type CrawlDeps, createActivities } from '../activities.ts'
import { claimRun } from '../claim.ts'
import { RunEnded } from '../run-control.ts'
import type { CrawlSteps } from '../steps.ts'
import { notSuspect, type Suspect, type SuspectQueue } from '../suspects.ts'
import { createVocabularyKeeper } from '../vocabulary.ts'
import { notClaimed } from './failures.ts'
import type { Heartbeat } from './heartbeat.ts'
import type { ProjectWork } from './names.ts'

/** A run of which nothing was asked for longer is another worker's by now, in milliseconds. */
const idleTimeout = 10 * 60_000

export interface LiveRuns {
  /**
   * Makes this worker ready for the run's steps, from where the store says that it stands; what it knew of the run is
   * forgotten, and has stopped when this resolves. A run that was begun before waits for the suspects before it. Rejects with
   * RunEnded, and with the signal's reason.
   */
  claim(work: ProjectWork, signal: AbortSignal): Promise<Run>
  /** Works on the run until the heartbeat stops; rejects with NotClaimed where the run is unknown. */
  step(uuid: string, heartbeat: Heartbeat, work: (steps: CrawlSteps) => Promise<void>): Promise<void>
  /** Stops the heartbeat soon if the run has ended or been superseded. */
  watch(uuid: string, heartbeat: Heartbeat): void
  forget(uuid: string): void
}

interface Entry {
  run: Run
  steps: CrawlSteps
  stop: AbortController
  suspect: Suspect
  beat(): void
  underWay: Promise<unknown>
  usedAt: number
}

export function createLiveRuns(deps: Omit<CrawlDeps, 'vocabulary'>, suspects: SuspectQueue): LiveRuns {
  const { store } = deps
  const entries = new Map<string, Entry>()

  function createEntry(run: Run, suspect: Suspect): Entry {
    const stop = new AbortController()
    const vocabulary = createVocabularyKeeper(deps, run.project, deps.now)
    const entry: Entry = {
      run,
      stop,
      suspect,
      beat() {},
      underWay: Promise.resolve(),
      usedAt: deps.now().getTime(),
      steps: createActivities({ ...deps, vocabulary }, run, {
        signal: stop.signal,
        beat: () => entry.beat(),
        onProgress: suspect.clear,
      }),
    }
    return entry
  }

  function forget(uuid: string) {
    const entry = entries.get(uuid)
    entry?.stop.abort(notClaimed())
    entry?.suspect.clear()
    entries.delete(uuid)
  }

  function forgetIdle() {
    const before = deps.now().getTime() - idleTimeout
    for (const [uuid, { usedAt }] of entries) if (usedAt < before) forget(uuid)
  }

  return {
    async claim({ uuid, project }, signal) {
      const known = entries.get(uuid)
      forget(uuid)
      forgetIdle()
      await known?.underWay
      const run = await store.runs.get(project, uuid)
      if (run === null || !(await store.runs.holds(run))) throw new RunEnded()
      const acquit = () => store.runs.release(uuid).catch(() => {})
      const suspect = run.status === 'running' ? await suspects.enter(acquit, signal) : notSuspect
      try {
        signal.throwIfAborted()
        const deaths = await claimRun(store, run, deps.now().toISOString())
        if (deaths === null) throw new RunEnded()
        if (deaths === 0) suspect.clear()
        entries.set(uuid, createEntry(run, suspect))
        return run
      } catch (error) {
        suspect.clear()
        throw error
      }
    },

    async step(uuid, heartbeat, work) {
      const entry = entries.get(uuid)
      if (entry === undefined) throw notClaimed()
      const stop = () => entry.stop.abort(heartbeat.signal.reason)
      heartbeat.signal.addEventListener('abort', stop)
      entry.beat = heartbeat.beat
      const result = work(entry.steps)
      entry.underWay = result.catch(() => {})
      try {
        await result
      } catch (error) {
        // What is in memory may be half done: the run is claimed anew.
        if (entries.get(uuid) === entry) forget(uuid)
        throw error
      } finally {
        entry.usedAt = deps.now().getTime()
        heartbeat.signal.removeEventListener('abort', stop)
      }
    },

    watch(uuid, heartbeat) {
      const run = entries.get(uuid)?.run
      if (run === undefined) return
      store.runs.holds(run).then(
        (holds) => {
          if (!holds) heartbeat.stop(new RunEnded())
        },
        // The store is away for a moment: the step's own writes tell when it stays away.
        () => {},
      )
    },

    forget,
  }
}
