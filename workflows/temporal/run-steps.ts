// The steps of runs as this worker does them: claimed, watched, and stopped when the run has ended in the store.

import { claimOfRun, whileClaimed } from '../claim.ts'
import type { CrawlSteps } from '../crawl.ts'
import { type CrawlDeps, RunEnded } from '../run-control.ts'
import { noteEnd, noteResumed } from '../run-endings.ts'
import { withSteps } from '../steps.ts'
import { notSuspect, type SuspectQueue } from '../suspects.ts'
import { handedOver } from './failures.ts'
import type { Heartbeat } from './heartbeat.ts'
import type { ProjectWork } from './names.ts'
import type { TemporalRuns } from './temporal-runs.ts'

interface RunStepsDeps extends CrawlDeps {
  runs: Pick<TemporalRuns, 'removeOrphans'>
}

/** Does a step of a run, or what is left of it. Rejects with RunEnded, and where the heartbeat stops. */
type DoStep = <Result>(
  run: ProjectWork,
  heartbeat: Heartbeat,
  step: (steps: CrawlSteps) => Promise<Result>,
) => Promise<Result>

interface Attempt {
  heartbeat: Heartbeat
  ended: Promise<void>
}

/** Every so many heartbeats the counts of the run are read. */
const beatsToCounts = 3

export function createRunSteps(deps: RunStepsDeps, suspects: SuspectQueue): DoStep {
  const { store, runs } = deps
  const attempts = new Map<string, Attempt>()

  /** Stops an attempt that Temporal has taken for dead, and waits for its end, before `work`. */
  async function afterOthers<Result>(uuid: string, heartbeat: Heartbeat, work: () => Promise<Result>) {
    const before = attempts.get(uuid)
    before?.heartbeat.stop(handedOver())
    const { promise: ended, resolve: end } = Promise.withResolvers<void>()
    const attempt = { heartbeat, ended }
    attempts.set(uuid, attempt)
    try {
      await before?.ended
      return await work()
    } finally {
      end()
      if (attempts.get(uuid) === attempt) attempts.delete(uuid)
    }
  }

  /** Shows how far the run is, and stops when it has ended or been superseded. */
  function watch({ uuid, project, fence }: ProjectWork & { fence: number }, heartbeat: Heartbeat) {
    let beats = 0
    heartbeat.onBeat(() => {
      const look = async () => {
        if (!(await store.runs.holds({ uuid, project, fence }))) return heartbeat.stop(new RunEnded())
        if (beats++ % beatsToCounts === 0) heartbeat.show((await store.runs.get(project, uuid))?.pages)
      }
      // The store may be away for a moment: the step's own writes tell when it stays away.
      look().catch(() => {})
    })
  }

  async function doStep<Result>(
    { uuid, project }: ProjectWork,
    heartbeat: Heartbeat,
    step: (steps: CrawlSteps) => Promise<Result>,
  ): Promise<Result> {
    const { signal, beat, attempt } = heartbeat
    const run = await store.runs.get(project, uuid)
    if (run === null || !(await store.runs.holds(run))) throw new RunEnded()
    watch(run, heartbeat)
    const claim = claimOfRun(store, run, deps.now)
    const isResumed = attempt > 1
    // Whoever had it before may have been killed between index and store.
    if (isResumed) await runs.removeOrphans(project)
    const suspect = isResumed ? await suspects.enter(claim.release, signal) : notSuspect
    try {
      signal.throwIfAborted()
      const control = { signal, beat, onProgress: suspect.clear }
      const done = await whileClaimed(claim, suspect, async () => {
        if (isResumed) await noteResumed(store, run, deps.now())
        return { result: await withSteps(deps, run, control, step) }
      })
      if (done === null) throw new RunEnded()
      return done.result
    } finally {
      suspect.clear()
    }
  }

  return async (run, heartbeat, step) => {
    try {
      return await afterOthers(run.uuid, heartbeat, () => doStep(run, heartbeat, step))
    } catch (error) {
      const reason = heartbeat.signal.aborted ? heartbeat.signal.reason : error
      // A kill between the run's end and its last event has left that out.
      if (reason instanceof RunEnded) await noteEnd(store, run)
      throw reason
    }
  }
}
