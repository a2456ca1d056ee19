// The runs port: starts, stops and resumes background work. The work itself is in workflows/, its state in the store. A driver
// makes no decisions about pages.
import type { RunKey } from '../store/run.ts'

export interface Runs {
  /**
   * Starts the work of a run that exists in the store. Resolves as soon as the work survives a crash. Stops the project's previous
   * run, if any: it sends no request to a site more than a second later.
   */
  startSync(run: RunKey): Promise<void>
  /** Stops the work of a run that has ended in the store. Ignores unknown and ended runs. */
  stopSync(run: RunKey): Promise<void>
  /** Starts a recrawl that is queued in the store. */
  startRecrawl(recrawl: RunKey): Promise<void>
  /** Sets the project's schedule, five-field cron in UTC; null removes it. */
  schedule(project: string, cron: string | null): Promise<void>
  /** Stops all work of a deleted project, and removes its units from the index. */
  dropProject(project: string): Promise<void>
  /** Schedules the removal of a deleted source's units from the index. */
  sweep(project: string): Promise<void>
  /** Resolves if work can be started. Rejects with the cause otherwise. */
  ping(): Promise<void>
  /** Stops the work, so that the next process can resume it. */
  close(): Promise<void>
}
