// Background jobs beside the runs, each an activity that must get done: recrawls, schedules, and cleaning the index.
import { CancellationScope, sleep } from '@temporalio/workflow'
import { background } from './activity-options.ts'
import type { ProjectWork } from './names.ts'

export async function recrawl(work: ProjectWork): Promise<void> {
  try {
    await background.recrawlPage(work)
  } catch (error) {
    await CancellationScope.nonCancellable(() => background.dropRecrawl(work))
    throw error
  }
}

/** What a schedule starts: it begins a run in the store, which starts the workflow `sync`. */
export async function scheduledSync(project: string): Promise<void> {
  await background.startScheduled(project)
}

export async function sweep(project: string): Promise<void> {
  await background.sweepProject(project)
}

export async function removeOrphans(project: string): Promise<void> {
  await background.removeOrphans(project)
}

/** A worker that has not heard of the deletion yet may add units for a moment: they are dropped again. */
export async function drop(project: string): Promise<void> {
  await background.dropProject(project)
  await sleep('1 minute')
  await background.dropProject(project)
}
