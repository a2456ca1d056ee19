// The driver of the runs port on Temporal. Workers in other processes do the work. This side only starts it.
import { randomUUID } from 'node:crypto'
import {
  ScheduleAlreadyRunning,
  ScheduleNotFoundError,
  ScheduleOverlapPolicy,
  WorkflowExecutionAlreadyStartedError,
  type WorkflowExecutionDescription,
  WorkflowNotFoundError,
} from '@temporalio/client'
import pTimeout from 'p-timeout'
import { backendAway, isAway } from '../../services/errors.ts'
import type { Runs } from '../../services/runs/runs.ts'
import type { RunKey } from '../../services/store/run.ts'
import type { Store } from '../../services/store/store.ts'
import {
  addSearchAttributes,
  createTemporalClient,
  isInvalid,
  type TemporalAddress,
  type TemporalClient,
  toSearchAttributes,
} from './client.ts'
import { type Sync, type SyncInput, taskQueue, workflowIds } from './names.ts'

interface TemporalRunsOptions extends TemporalAddress {
  store: Store
  report(error: unknown): void
}

export interface TemporalRuns extends Runs {
  /** State of the run's workflow: `none` if the newest workflow of the project belongs to another run. */
  stateOf(run: RunKey): Promise<'open' | 'none' | 'cancelled' | 'failed' | 'completed'>
}

/** Milliseconds for a cancelled execution to end by itself, if a worker is available. After that, it is terminated. */
const cancelTimeout = 1_500

const states: Record<string, 'open' | 'cancelled' | 'completed'> = {
  RUNNING: 'open',
  CANCELLED: 'cancelled',
  TERMINATED: 'cancelled',
  COMPLETED: 'completed',
}

/** Resolves even if Temporal is unavailable. While it is, each call rejects with backendAway('runs'). */
export async function openTemporalRuns(options: TemporalRunsOptions): Promise<TemporalRuns> {
  return createTemporalRuns(createTemporalClient(options), options)
}

export function createTemporalRuns(
  temporal: TemporalClient,
  { store, report }: Pick<TemporalRunsOptions, 'store' | 'report'>,
): TemporalRuns {
  const { client, ask } = temporal

  const readSlug = async (project: string) => (await store.projects.byUuid(project))?.slug ?? null

  function start(type: string, workflowId: string, arg: unknown) {
    const options = { taskQueue, workflowId, args: [arg], workflowIdConflictPolicy: 'USE_EXISTING' as const }
    return ask(() => client.workflow.start(type, options))
  }

  /** Returns false if a workflow of the project is running. */
  async function launch(input: SyncInput): Promise<boolean> {
    const begin = (attributes: object) =>
      ask(() =>
        client.workflow.start<Sync>('sync', {
          workflowId: workflowIds.sync(input.slug),
          taskQueue,
          args: [input],
          memo: { ...input },
          staticSummary: `Sync of ${input.slug} (${input.trigger})`,
          staticDetails: `Run ${input.uuid} of project ${input.slug} (${input.project})`,
          ...attributes,
        }),
      )
    const attributes = { typedSearchAttributes: toSearchAttributes(input) }
    try {
      await begin(attributes)
        .catch(async (error) => {
          if (!isInvalid(error)) throw error
          await addSearchAttributes(temporal).catch(() => {})
          return begin(attributes)
        })
        .catch((error) => {
          if (!isInvalid(error)) throw error
          // On a cluster, new attributes take a minute to reach every server. The next run may have them.
          return begin({})
        })
      return true
    } catch (error) {
      if (error instanceof WorkflowExecutionAlreadyStartedError) return false
      throw error
    }
  }

  /** The project's newest `sync` workflow, or null. */
  async function describe(slug: string): Promise<WorkflowExecutionDescription | null> {
    const description = ask(() => client.workflow.getHandle(workflowIds.sync(slug)).describe())
    return (await description.catch(passUnknownWorkflow)) ?? null
  }

  /** A handle of this execution, not of another with the same id. */
  function toHandle({ workflowId, runId }: WorkflowExecutionDescription) {
    return client.workflow.getHandle<Sync>(workflowId, runId)
  }

  async function cancel(description: WorkflowExecutionDescription) {
    await ask(() => toHandle(description).cancel()).catch(passUnknownWorkflow)
  }

  /** Ends the workflow of a run that the store has ended. */
  async function replace(description: WorkflowExecutionDescription) {
    const handle = toHandle(description)
    await cancel(description)
    const ended = Promise.allSettled([handle.result()]).then(() => true)
    if (await pTimeout(ended, { milliseconds: cancelTimeout, fallback: () => false })) return
    const reason = 'A newer run has taken its place, and no worker ended it.'
    await ask(() => handle.terminate(reason)).catch(passUnknownWorkflow)
  }

  return {
    async startSync({ uuid, project }) {
      const [slug, run] = await Promise.all([readSlug(project), store.runs.get(project, uuid)])
      if (slug === null || run === null || !(await store.runs.holds(run))) return
      const { fence, trigger } = run
      while (!(await launch({ uuid, project, slug, fence, trigger }))) {
        const before = await describe(slug)
        if (before?.status.name !== 'RUNNING') continue
        const other = readMemo(before)
        // Calls for runs that start at the same time may arrive in any order. The newest run wins.
        if (other.project === project && other.fence >= fence) return
        await replace(before)
      }
    },

    async stopSync({ uuid, project }) {
      const slug = await readSlug(project)
      if (slug === null) return
      try {
        const description = await describe(slug)
        if (description?.status.name !== 'RUNNING' || readMemo(description).uuid !== uuid) return
        await cancel(description)
      } catch (error) {
        // The worker also reads the store, so the work stops without Temporal. Its workflow ends when Temporal is available again.
        if (!isAway(error)) throw error
        report(error)
      }
    },

    async startRecrawl({ uuid, project }) {
      await start('recrawl', workflowIds.recrawl(uuid), { uuid, project })
    },

    async schedule(project, cron) {
      const slug = await readSlug(project)
      if (slug !== null) await setSchedule(temporal, { uuid: project, slug }, cron)
    },

    async dropProject(project) {
      await start('drop', workflowIds.drop(project), project)
    },

    async sweep(project) {
      await start('sweep', workflowIds.sweep(project, randomUUID()), project)
    },

    async stateOf({ uuid, project }) {
      const slug = await readSlug(project)
      const description = slug === null ? null : await describe(slug)
      if (description === null || readMemo(description).uuid !== uuid) return 'none'
      return states[description.status.name] ?? 'failed'
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

function readMemo({ memo }: WorkflowExecutionDescription): Partial<SyncInput> & { fence: number } {
  return { fence: 0, ...memo }
}

function passUnknownWorkflow(error: unknown): undefined {
  if (!(error instanceof WorkflowNotFoundError)) throw error
}

/** Sets the project's schedule, five-field cron in UTC; null removes it. */
async function setSchedule(
  { client, ask }: TemporalClient,
  { uuid, slug }: { uuid: string; slug: string },
  cron: string | null,
): Promise<void> {
  const scheduleId = workflowIds.schedule(slug)
  const handle = client.schedule.getHandle(scheduleId)
  if (cron === null) {
    await ask(() => handle.delete()).catch((error) => {
      if (!(error instanceof ScheduleNotFoundError)) throw error
    })
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
 * Cron expressions that together are due when `cron` is. If both day of month and day of week are set, cron requires one of
 * them, but Temporal requires both. `0 3 1 * 1` → `0 3 1 * *`, `0 3 * * 1`.
 */
function toExpressions(cron: string): string[] {
  const [minute, hour, day, month, weekday] = cron.split(/\s+/)
  if (day === '*' || weekday === '*') return [cron]
  return [`${minute} ${hour} ${day} ${month} *`, `${minute} ${hour} * ${month} ${weekday}`]
}
