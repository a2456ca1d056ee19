// What workflows and activities take and give: recorded in histories, so ids and counts only.
import type { PageCounts, Trigger } from '../../services/store/run.ts'
import type { CrawlSteps } from '../steps.ts'
import type { Checkpoint } from './checkpoint.ts'
import type { ProjectWork } from './names.ts'

export type StepName = keyof CrawlSteps
export type StepValue<Name extends StepName> = Awaited<ReturnType<CrawlSteps[Name]>>

/** What a step of the plan came to. */
export type Answer = { [Name in StepName]: { step: Name; value: StepValue<Name> } }[StepName]

/** How far a run has come. */
export interface Progress {
  step: StepName
  /** Null where the run is unknown. */
  pages: PageCounts | null
}

/** Parameters of a sync; shown as its memo. */
export interface SyncInput extends ProjectWork {
  slug: string
  fence: number
  trigger: Trigger
  /** From the execution that this one continues, whose history had grown long. */
  continued?: { checkpoint: Checkpoint; queue: string | null; progress: Progress }
}

/** Done by the worker that has taken the run up. */
export type CrawlActivities = {
  /** Does the steps after `checkpoint`, in the order of the plan, up to about 1,000 pages or the end of the run. */
  crawlOn(run: ProjectWork, checkpoint: Checkpoint): Promise<{ answers: Answer[]; progress: Progress }>
}

/** What any worker may do. */
export type SharedActivities = {
  /** Makes a worker the one that does the run's steps; answers the queue on which it is asked. */
  claim(run: ProjectWork): Promise<string>
  /** Ends a run that has not ended. */
  endRun(run: ProjectWork, status: 'failed' | 'cancelled'): Promise<void>
  recrawlPage(recrawl: ProjectWork): Promise<void>
  /** Ends a recrawl that has not ended: what it asked for did not come about. */
  dropRecrawl(recrawl: ProjectWork): Promise<void>
  /** Begins a run as a caller would, if the project still has a schedule and no run that is live. */
  startScheduled(project: string): Promise<void>
  /** Takes what a deleted source left behind out of the index. */
  sweepProject(project: string): Promise<void>
  /** Takes units that a kill left without a page out of the index. */
  removeOrphans(project: string): Promise<void>
  /** Takes a deleted project's units out of the index. */
  dropProject(project: string): Promise<void>
}
