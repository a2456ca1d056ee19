// The plan of a sync: in which order its steps run. No clock, no I/O; both runners, in process and on Temporal, follow it.
import type { PageCounts } from '../services/store/run.ts'

/**
 * The steps of the plan. What they take and give is small (ids and counts, never page text), so that Temporal can record it. Each
 * continues from the state of the run in the store, so it can be repeated: nothing is done twice.
 */
export interface CrawlSteps {
  /** Marks the run as running. Answers the sources to read, oldest first, in groups of those that one step reads. */
  start(): Promise<{ sources: string[][] }>
  /**
   * Reads these sources, one after the other. Answers those that keep their pages because their start page or a part of their
   * list could not be read.
   */
  readSources(sources: string[]): Promise<{ unreadable: string[] }>
  /**
   * Makes outcomes final that one source gave and another could have overruled. Then takes out what the run found gone, or holds it
   * when that would be more than half. Removes nothing when every source failed.
   */
  settle(unreadable: string[]): Promise<void>
  /** Clears the index, makes it quick to search, and ends the run as failed if every source failed, else as completed. */
  finish(): Promise<PageCounts>
}

/** Reads every source of the project to its end. Throws what a step throws: the runner ends the run. */
export async function crawl(steps: CrawlSteps): Promise<PageCounts> {
  const { sources } = await steps.start()
  const unreadable: string[] = []
  for (const group of sources) unreadable.push(...(await steps.readSources(group)).unreadable)
  await steps.settle(unreadable)
  return steps.finish()
}
