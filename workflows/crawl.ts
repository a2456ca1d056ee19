// The plan of a sync: the order of its steps. Uses no clock and no I/O. Both runners, in process and on Temporal, follow it.
import type { PageCounts } from '../services/store/run.ts'

/**
 * The steps of the plan. Arguments and results are small (ids and counts, never page text), because Temporal records them. Each step
 * continues from the state of the run in the store, so it can be repeated.
 */
export interface CrawlSteps {
  /** Marks the run as running. Returns the sources to read, oldest first, in groups. One step reads one group. */
  start(): Promise<{ sources: string[][] }>
  /**
   * Reads these sources, one after the other. Returns those that keep their pages because their start page or a part of their
   * list could not be read.
   */
  readSources(sources: string[]): Promise<{ unreadable: string[] }>
  /**
   * Makes provisional outcomes final, which another source could have overruled. Then removes pages that are gone, or holds them if
   * they are more than half of all. Removes nothing if every source failed.
   */
  settle(unreadable: string[]): Promise<void>
  /** Cleans and optimizes the index. Ends the run as failed if every source failed, else as completed. */
  finish(): Promise<PageCounts>
}

/** Reads every source of the project. Rejects with the error of a step: the runner then ends the run. */
export async function crawl(steps: CrawlSteps): Promise<PageCounts> {
  const { sources } = await steps.start()
  const unreadable: string[] = []
  for (const group of sources) unreadable.push(...(await steps.readSources(group)).unreadable)
  await steps.settle(unreadable)
  return steps.finish()
}
