// The activity that crawls: the plan from where the workflow stands, done ahead of it and answered in one piece. A history
// with events of every step would be long, and cost more than the steps.
import { Context } from '@temporalio/activity'
import { crawl } from '../crawl.ts'
import type { CrawlSteps } from '../steps.ts'
import type { Answer, CrawlActivities, StepName, StepValue } from './activity-types.ts'
import { keepPosition } from './kept-position.ts'
import type { LiveRuns } from './live-runs.ts'
import type { ProjectWork } from './names.ts'
import type { ProgressTeller } from './progress-teller.ts'
import { withPulse } from './pulse.ts'

/** Listings walked before the workflow goes on from what was answered. */
const maxWalked = 1_000

/** Ends the plan where enough of it is done for one answer. */
class Enough extends Error {}

export interface CrawlActivityDeps {
  liveRuns: LiveRuns
  takeUp(run: ProjectWork): Promise<unknown>
  /** Notes that this attempt has ended in good order, whatever it came to. */
  letGo(run: ProjectWork): Promise<void>
  createTeller(run: ProjectWork, workflow: { workflowId: string; runId: string }): ProgressTeller
}

export function createCrawlActivities({
  liveRuns,
  takeUp,
  letGo,
  createTeller,
}: CrawlActivityDeps): CrawlActivities {
  return {
    async crawlOn(run, position) {
      const { attempt, workflowExecution } = Context.current().info
      const answers: Answer[] = []
      const teller = createTeller(run, workflowExecution!)

      return withPulse(
        async (pulse) => {
          // The attempt before was another worker's, or was cut off in this one.
          if (attempt > 1) await takeUp(run)
          await liveRuns
            .step(run.uuid, pulse, (steps) => {
              const recorded = recordAnswers(steps, answers, teller.doing)
              return crawl(keepPosition(recorded, position, async () => stopWhenEnough(answers))).catch(
                passEnough,
              )
            })
            .catch(async (error) => {
              // Where the store is away it cannot be noted: one death too many.
              await letGo(run).catch(() => {})
              throw error
            })
          if (answers.at(-1)?.step === 'complete') liveRuns.forget(run.uuid)
          return { answers, progress: await teller.progress() }
        },
        (pulse) => {
          liveRuns.watch(run.uuid, pulse)
          teller.tell(pulse.beats)
        },
      )
    },
  }
}

function stopWhenEnough(answers: Answer[]) {
  const walked = answers.map((answer) => (answer.step === 'walk' ? answer.value : 0))
  if (walked.reduce((sum, count) => sum + count, 0) >= maxWalked) throw new Enough()
}

function passEnough(error: unknown) {
  if (!(error instanceof Enough)) throw error
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
