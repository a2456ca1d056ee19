// The in-process driver of the runs port: a thread of this process does the work; the store keeps its state, so that a
// killed process resumes.
import { setTimeout as delay } from 'node:timers/promises'
import { Cron } from 'croner'
import type { Runs } from '../../services/runs/runs.ts'
import { heartbeatTimeouts } from '../../services/thread/heartbeat.ts'
import { openSupervisedThread, ThreadGone } from '../../services/thread/thread.ts'
import type { WorkApi } from './work.ts'

export interface LocalRunsOptions {
  /** The thread's entry file, which composes its drivers. */
  entry: URL
  threadData: unknown
  /** Begins a scheduled sync, as a caller's would begin. */
  startScheduled(project: string): Promise<void>
  report(error: unknown): void
  /** A thread that dies sooner than this after its start is restarted after this delay, in milliseconds. */
  settleTime?: number
}

/** How often, and after how many milliseconds each time, a thread that is being started again is asked once more. */
const restartTries = 20
const restartPause = 250

/** Starts the thread and resumes what the process before left. */
export async function openLocalRuns(options: LocalRunsOptions): Promise<Runs> {
  const schedules = new Map<string, Cron>()
  const thread = await openSupervisedThread<WorkApi>({
    entry: options.entry,
    workerData: options.threadData,
    heartbeatTimeout: heartbeatTimeouts.sync,
    report: options.report,
    ...(options.settleTime !== undefined && { settleTime: options.settleTime }),
    // Nothing starts on a thread that could not clean up: another one tries again.
    begin: (api) => api.resume(),
  })

  /** The store has what was asked for: a thread that is gone leaves it to the next one, which resumes what it finds there. */
  async function orNext(asked: Promise<void>) {
    await asked.catch((error) => {
      if (!(error instanceof ThreadGone)) throw error
    })
  }

  async function ping() {
    for (let tries = 1; ; tries++) {
      try {
        return await thread.api.ping()
      } catch (error) {
        if (!(error instanceof ThreadGone) || tries === restartTries) throw error
      }
      await delay(restartPause)
    }
  }

  return {
    startSync: (run) => orNext(thread.api.startSync(run)),
    stopSync: (run) => orNext(thread.api.stopSync(run)),
    startRecrawl: (recrawl) => orNext(thread.api.startRecrawl(recrawl)),
    dropProject(project) {
      schedules.get(project)?.stop()
      schedules.delete(project)
      return orNext(thread.api.dropProject(project))
    },
    // The next sync of the project sweeps, too.
    sweep: (project) => orNext(thread.api.sweep(project)),
    ping,

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
