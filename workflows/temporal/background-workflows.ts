// Background jobs beside the runs, each an activity that must get done: recrawls, schedules, and cleaning the index.
import { CancellationScope, sleep } from '@temporalio/workflow'
import type { ProjectWork } from './names.ts'
import { shared } from './shared-activities.ts'

export async function recrawl(work: ProjectWork): Promise<void> {
  try {
    await shared.recrawlPage(work)
  } catch (error) {
    await CancellationScope.nonCancellable(() => shared.dropRecrawl(work))
    throw error
  }
}

/** What a schedule starts: it begins a run in the store, which starts the workflow `sync`. */
export async function scheduledSync(project: string): Promise<void> {
  await shared.startScheduled(project)
}

export async function sweep(project: string): Promise<void> {
  await shared.sweepProject(project)
}

export async function removeOrphans(project: string): Promise<void> {
  await shared.removeOrphans(project)
}

/** A worker that has not heard of the deletion yet may add units for a moment: they are dropped again. */
export async function drop(project: string): Promise<void> {
  await shared.dropProject(project)
  await sleep('1 minute')
  await shared.dropProject(project)
}
