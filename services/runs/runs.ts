// The runs port: background work that outlives a request. What the work is, stands in workflows/; the store knows how
// it goes. A driver starts, stops and resumes; it decides nothing about pages.

export interface Runs {
  /**
   * Starts the work of a run that the store has begun; returns as soon as it is safe against a kill. Stops the
   * project's run before it, if there is one: no request to a site leaves for that one later than a second after.
   */
  startSync(run: { uuid: string; project: string }): Promise<void>
  /** Stops the work of a run that the store has ended. Unknown and ended ones are ignored. */
  stopSync(run: { uuid: string; project: string }): Promise<void>
  /** Starts the recrawl of one page that the store has queued. */
  startRecrawl(recrawl: { uuid: string; project: string }): Promise<void>
  /** Sets the project's schedule, five-field cron in UTC; null takes it away. */
  schedule(project: string, cron: string | null): Promise<void>
  /** Stops what belongs to a project that is gone, and takes its units out of the index. */
  dropProject(project: string): Promise<void>
  /** Has what a deleted source left in the index removed soon. */
  sweep(project: string): Promise<void>
  /** Resolves when work can be started; rejects with the cause otherwise. */
  ping(): Promise<void>
  /** Stops the work so that it can be resumed by the next process. */
  close(): Promise<void>
}
