// The in-process driver of the runs port: a thread of this process does the work; the store keeps its state, so that a
// killed process resumes.
import { Cron } from 'croner'
import type { Runs } from '../../services/runs/runs.ts'
import { threadKinds } from '../../services/thread/kinds.ts'
import { createThread, type Served, ThreadGone } from '../../services/thread/thread.ts'
import type { WorkApi } from './work.ts'

interface LocalRunsOptions {
  /** The thread's entry file, which composes its drivers. */
  entry: URL
  threadData: unknown
  /** Begins a scheduled sync, as a caller's would begin. */
  startScheduled(project: string): Promise<void>
  report(error: unknown): void
  /** What the thread may ask of its owner. */
  serves?: Served
  /** A thread that dies sooner than this after its start is restarted after this delay, in milliseconds. */
  settleTime?: number
}

/** Starts the thread, which resumes what the process before left, and rests when there is nothing to do. */
export async function openLocalRuns(options: LocalRunsOptions): Promise<Runs> {
  const schedules = new Map<string, Cron>()
  /** Why the newest thread could not take up what was left, or that it was closed. */
  let failure: unknown = null
  const { api, start, close } = createThread<WorkApi>({
    ...threadKinds.crawl,
    entry: options.entry,
    workerData: options.threadData,
    report: options.report,
    settleTime: options.settleTime,
    ...(options.serves && { serves: options.serves }),
    // Nothing starts on a thread that could not clean up: another one tries again.
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

  /** Requests are in the store: if a thread dies, the next one resumes from there. */
  async function orNext(asked: Promise<void>) {
    await asked.catch((error) => {
      if (!(error instanceof ThreadGone)) throw error
    })
  }

  /** One call for all work in progress: separate calls would each wait for all work, too. */
  let isSettling = false

  /** The thread does not rest before the work it began has ended. */
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
    // The next sync of the project sweeps, too.
    sweep: (project) => begin(api.sweep(project)),
    async ping() {
      if (failure !== null) throw new ThreadGone(failure)
    },

    async schedule(project, cron) {
      schedules.get(project)?.stop()
      schedules.delete(project)
      if (cron === null) return
      const start = () => options.startScheduled(project).catch(options.report)
      schedules.set(project, new Cron(cron, { timezone: 'UTC', unref: true }, start))
    },

    async close() {
      for (const cron of schedules.values()) cron.stop()
      failure = new Error('the runs are closed')
      await close()
    },
  }
}
