// The in-process driver of the runs port: a thread of this process does the work; the store keeps its state, so that a
// killed process resumes.
import { Cron } from 'croner'
import type { Runs } from '../../services/runs/runs.ts'
import { openThread, type Thread } from '../../services/thread/thread.ts'
import type { WorkApi } from './work.ts'

/** A thread that dies sooner than this after its start is not started again at once. */
const settleTime = 5_000

export interface LocalRunsOptions {
  /** The thread's entry file, which composes its drivers. */
  entry: URL
  threadData: unknown
  /** Begins a scheduled sync, as a caller's would begin. */
  startScheduled(project: string): Promise<void>
  report(error: unknown): void
}

/** Starts the thread and takes up what the process before left. */
export async function openLocalRuns(options: LocalRunsOptions): Promise<Runs> {
  const schedules = new Map<string, Cron>()
  let closing = false
  let thread = await startThread()

  async function startThread(): Promise<Thread<WorkApi>> {
    const started = await openThread<WorkApi>(options.entry, options.threadData, options.report)
    const startedAt = performance.now()
    started.ended.then((cause) => {
      if (closing) return
      options.report(cause)
      const wait = performance.now() - startedAt < settleTime ? settleTime : 0
      setTimeout(restart, wait).unref()
    })
    // Nothing starts on a thread that could not clean up: another one tries again.
    started.api.resume().catch((error) => {
      options.report(error)
      started.terminate().catch(options.report)
    })
    return started
  }

  async function restart() {
    if (closing) return
    try {
      thread = await startThread()
      if (closing) await thread.terminate()
    } catch (error) {
      options.report(error)
      setTimeout(restart, settleTime).unref()
    }
  }

  return {
    startSync: (run) => thread.api.startSync(run),
    stopSync: (run) => thread.api.stopSync(run),
    startRecrawl: (recrawl) => thread.api.startRecrawl(recrawl),
    dropProject(project) {
      schedules.get(project)?.stop()
      schedules.delete(project)
      return thread.api.dropProject(project)
    },
    sweep: (project) => thread.api.sweep(project),
    ping: () => thread.api.ping(),

    async schedule(project, cron) {
      schedules.get(project)?.stop()
      schedules.delete(project)
      if (cron === null) return
      const start = () => options.startScheduled(project).catch(options.report)
      schedules.set(project, new Cron(cron, { timezone: 'UTC', unref: true }, start))
    },

    async close() {
      closing = true
      for (const cron of schedules.values()) cron.stop()
      // A thread that is gone has nothing left to close.
      await thread.api.close().catch(options.report)
      await thread.terminate()
    },
  }
}
