// The driver of the runs port on Temporal: workers do the work, wherever they are; this side only asks for it.
import { randomUUID } from 'node:crypto'
import { ScheduleAlreadyRunning, ScheduleNotFoundError, ScheduleOverlapPolicy } from '@temporalio/client'
import { backendAway, isAway } from '../../services/errors.ts'
import type { Runs } from '../../services/runs/runs.ts'
import type { Store } from '../../services/store/store.ts'
import {
  createSyncExecutions,
  createTemporalClient,
  type TemporalAddress,
  type TemporalClient,
} from './client.ts'
import { type ProjectWork, taskQueue, workflowIds } from './names.ts'

interface TemporalRunsOptions extends TemporalAddress {
  store: Store
  report(error: unknown): void
}

export interface TemporalRuns extends Runs {
  /** How the run's workflow stands; see SyncExecutions. */
  stateOf(run: ProjectWork): Promise<'open' | 'none' | 'cancelled' | 'failed' | 'completed'>
}

/** Opens whether or not Temporal is there: each call rejects with backendAway('runs') while it is not. */
export async function openTemporalRuns({
  store,
  report,
  ...address
}: TemporalRunsOptions): Promise<TemporalRuns> {
  const temporal = createTemporalClient(address)
  const { client, ask } = temporal
  const syncs = createSyncExecutions(temporal)

  const slugOf = async (project: string) => (await store.projects.byUuid(project))?.slug ?? null

  function start(type: string, workflowId: string, arg: unknown) {
    const options = { taskQueue, workflowId, args: [arg], workflowIdConflictPolicy: 'USE_EXISTING' as const }
    return ask(() => client.workflow.start(type, options))
  }

  return {
    async startSync({ uuid, project }) {
      const [slug, run] = await Promise.all([slugOf(project), store.runs.get(project, uuid)])
      if (slug === null || run === null || !(await store.runs.holds(run))) return
      const { fence, trigger } = run
      await syncs.start({ uuid, project, slug, fence, trigger })
    },

    async stopSync({ uuid, project }) {
      const slug = await slugOf(project)
      if (slug === null) return
      // Its worker looks at the store too: without Temporal the work stops, and its workflow when Temporal is back.
      await syncs.cancel({ uuid, slug }).catch((error) => {
        if (!isAway(error)) throw error
        report(error)
      })
    },

    async startRecrawl({ uuid, project }) {
      await start('recrawl', workflowIds.recrawl(uuid), { uuid, project })
    },

    async schedule(project, cron) {
      const slug = await slugOf(project)
      if (slug !== null) await setSchedule(temporal, { uuid: project, slug }, cron)
    },

    async dropProject(project) {
      await start('drop', workflowIds.drop(project), project)
    },

    async sweep(project) {
      await start('sweep', workflowIds.sweep(project, randomUUID()), project)
    },

    async stateOf({ uuid, project }) {
      const slug = await slugOf(project)
      return slug === null ? 'none' : syncs.state({ uuid, slug })
    },

    async ping() {
      try {
        const { namespace } = client.options
        await ask(() => client.workflowService.describeNamespace({ namespace }))
      } catch (error) {
        throw isAway(error) ? error : backendAway('runs', error)
      }
    },

    close: () => temporal.close(),
  }
}

/** Sets the project's schedule, five-field cron in UTC; null takes it away. */
async function setSchedule(
  { client, ask }: TemporalClient,
  { uuid, slug }: { uuid: string; slug: string },
  cron: string | null,
): Promise<void> {
  const scheduleId = workflowIds.schedule(slug)
  const handle = client.schedule.getHandle(scheduleId)
  if (cron === null) {
    await ask(() => handle.delete()).catch(passUnknown)
    return
  }
  const content = {
    spec: { cronExpressions: toExpressions(cron) },
    action: {
      type: 'startWorkflow' as const,
      workflowType: 'scheduledSync',
      workflowId: workflowIds.scheduled(slug),
      taskQueue,
      args: [uuid],
    },
    policies: { overlap: ScheduleOverlapPolicy.SKIP, catchupWindow: '10 minutes' as const },
  }
  try {
    await ask(() => client.schedule.create({ scheduleId, ...content, memo: { project: uuid } }))
  } catch (error) {
    if (!(error instanceof ScheduleAlreadyRunning)) throw error
    await ask(() => handle.update(({ state }) => ({ ...content, state })))
  }
}

/**
 * Cron lines that together come due when `cron` does: where both a day of the month and a day of the week are named, either
 * is enough, while Temporal asks for both. `0 3 1 * 1` → `0 3 1 * *`, `0 3 * * 1`.
 */
function toExpressions(cron: string): string[] {
  const [minute, hour, day, month, weekday] = cron.split(/\s+/)
  if (day === '*' || weekday === '*') return [cron]
  return [`${minute} ${hour} ${day} ${month} *`, `${minute} ${hour} * ${month} ${weekday}`]
}

function passUnknown(error: unknown) {
  if (!(error instanceof ScheduleNotFoundError)) throw error
}
