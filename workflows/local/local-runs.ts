// The in-process driver of the runs port: a thread of this process does the work; the store keeps its state, so that a
// killed process resumes.
import { Cron } from 'croner'
import type { Runs } from '../../services/runs/runs.ts'
import { heartbeatTimeouts } from '../../services/thread/heartbeat.ts'
import { openKeptThread } from '../../services/thread/kept-thread.ts'
import type { WorkApi } from './work.ts'

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
  const thread = await openKeptThread<WorkApi>({
    entry: options.entry,
    workerData: options.threadData,
    heartbeatTimeout: heartbeatTimeouts.sync,
    report: options.report,
    // Nothing starts on a thread that could not clean up: another one tries again.
    begin: (api) => api.resume(),
  })

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
      for (const cron of schedules.values()) cron.stop()
      await thread.close((api) => api.close())
    },
  }
}
