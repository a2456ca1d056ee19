// The activity that crawls: many steps of the plan, done ahead of the workflow and answered at once. A history with the events
// of every step would be long, and cost more than the steps.
import { Context } from '@temporalio/activity'
import { crawl } from '../crawl.ts'
import type { CrawlSteps } from '../steps.ts'
import type { Answer, CrawlActivities, StepName, StepValue } from './activity-types.ts'
import { resumeFrom } from './checkpoint.ts'
import { withHeartbeat } from './heartbeat.ts'
import type { LiveRuns } from './live-runs.ts'
import type { ProjectWork } from './names.ts'
import type { ProgressReporter } from './progress-reporter.ts'

/** Addresses walked before the activity answers. */
const maxWalked = 1_000

/** Ends the plan where `maxWalked` is reached. */
class LimitReached extends Error {}

export interface CrawlActivityDeps {
  liveRuns: LiveRuns
  claim(run: ProjectWork, signal: AbortSignal): Promise<unknown>
  /** Notes that this attempt has ended without the end of its worker. */
  release(run: ProjectWork): Promise<void>
  createReporter(run: ProjectWork, workflow: { workflowId: string; runId: string }): ProgressReporter
}

export function createCrawlActivities({
  liveRuns,
  claim,
  release,
  createReporter,
}: CrawlActivityDeps): CrawlActivities {
  return {
    async crawlOn(run, checkpoint) {
      const { attempt, workflowExecution } = Context.current().info
      const answers: Answer[] = []
      const reporter = createReporter(run, workflowExecution!)

      return withHeartbeat(
        async (heartbeat) => {
          // The attempt before was another worker's, or was cut off in this one.
          if (attempt > 1) await claim(run, heartbeat.signal)
          await liveRuns
            .step(run.uuid, heartbeat, (steps) => {
              const recorded = recordAnswers(steps, answers, reporter.doing)
              return crawl(resumeFrom(recorded, checkpoint, async () => stopAtLimit(answers))).catch(
                ignoreLimitReached,
              )
            })
            .catch(async (error) => {
              // Where the store is away it cannot be noted: one death too many.
              await release(run).catch(() => {})
              throw error
            })
          if (answers.at(-1)?.step === 'complete') liveRuns.forget(run.uuid)
          return { answers, progress: await reporter.progress() }
        },
        (heartbeat) => {
          liveRuns.watch(run.uuid, heartbeat)
          reporter.report(heartbeat.beats)
        },
      )
    },
  }
}

function stopAtLimit(answers: Answer[]) {
  const walked = answers.map((answer) => (answer.step === 'walk' ? answer.value : 0))
  if (walked.reduce((sum, count) => sum + count, 0) >= maxWalked) throw new LimitReached()
}

function ignoreLimitReached(error: unknown) {
  if (!(error instanceof LimitReached)) throw error
}

/** The same steps; what each comes to is added to `answers`. */
export function recordAnswers(
  steps: CrawlSteps,
  answers: Answer[],
  doing: (step: StepName) => void,
): CrawlSteps {
  async function record<Name extends StepName>(step: Name, work: Promise<StepValue<Name>>) {
    const value = await work
    answers.push({ step, value } as Answer)
    return value
  }
  return Object.fromEntries(
    (Object.keys(steps) as StepName[]).map((step) => [
      step,
      (...args: unknown[]) => {
        doing(step)
        return record(step, (steps[step] as (...args: unknown[]) => Promise<never>)(...args))
      },
    ]),
  ) as unknown as CrawlSteps
}
