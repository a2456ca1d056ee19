// The in-process driver of the runs port. A thread of this process does the work. Its state is in the store, so that the next
// process resumes after a kill.
import { Cron } from 'croner'
import type { Runs } from '../../services/runs/runs.ts'
import { threadKinds } from '../../services/thread/kinds.ts'
import { createThread, ThreadGone, type ThreadOptions } from '../../services/thread/thread.ts'
import type { WorkApi } from './work.ts'

type LocalRunsOptions = Pick<
  ThreadOptions<WorkApi>,
  'entry' | 'workerData' | 'report' | 'serves' | 'settleTime'
> & {
  /** Starts a sync as a caller would. */
  startScheduled(project: string): Promise<void>
}

/** Starts the thread, which resumes the work of the last process, and ends when it is idle. */
export async function openLocalRuns({ startScheduled, ...options }: LocalRunsOptions): Promise<Runs> {
  const schedules = new Map<string, Cron>()
  /** Why the newest thread could not resume, or that it was closed. */
  let failure: unknown = null
  const { api, start, close } = createThread<WorkApi>({
    ...threadKinds.crawl,
    ...options,
    // A thread that could not resume takes no work: another one tries again.
    async begin(thread) {
      await thread.resume().catch((error) => {
        failure = error
        throw error
      })
      failure = null
      await thread.settled()
    },
  })
  await start()

  /** Ignores the death of a thread: requests are in the store, from which the next thread resumes. */
  async function orNext(asked: Promise<void>) {
    await asked.catch((error) => {
      if (!(error instanceof ThreadGone)) throw error
    })
  }

  /** Whether a call that waits for all work is pending. One call is enough. */
  let isSettling = false

  /** Keeps the thread alive until the started work has ended. */
  async function begin(asked: Promise<void>) {
    await orNext(asked)
    if (isSettling) return
    isSettling = true
    api
      .settled()
      .catch(() => {})
      .finally(() => {
        isSettling = false
      })
  }

  return {
    startSync: (run) => begin(api.startSync(run)),
    stopSync: (run) => orNext(api.stopSync(run)),
    startRecrawl: (recrawl) => begin(api.startRecrawl(recrawl)),
    dropProject(project) {
      schedules.get(project)?.stop()
      schedules.delete(project)
      return orNext(api.dropProject(project))
    },
    // May be lost: the next sync of the project also sweeps.
    sweep: (project) => begin(api.sweep(project)),
    async ping() {
      if (failure !== null) throw new ThreadGone(failure)
    },

    async schedule(project, cron) {
      schedules.get(project)?.stop()
      schedules.delete(project)
      if (cron === null) return
      const start = () => startScheduled(project).catch(options.report)
      schedules.set(project, new Cron(cron, { timezone: 'UTC', unref: true }, start))
    },

    async close() {
      for (const cron of schedules.values()) cron.stop()
      failure = new Error('the runs are closed')
      await close()
    },
  }
}
