// The driver of the runs port on Temporal: workers do the work, wherever they are; this side only asks for it.
import { randomUUID } from 'node:crypto'
import { backendAway, isAway } from '../../services/errors.ts'
import type { Runs } from '../../services/runs/runs.ts'
import type { Store } from '../../services/store/store.ts'
import { type ProjectWork, taskQueue, workflowIds } from './names.ts'
import { setSchedule } from './schedules.ts'
import { createSyncExecutions } from './sync-executions.ts'
import { createTemporalClient, type TemporalAddress } from './temporal-client.ts'

interface TemporalRunsOptions extends TemporalAddress {
  store: Store
  report(error: unknown): void
}

/** Units that a kill left without a page are taken out when nobody can be about to publish them any more. */
const orphanDelay = '15 minutes'

export interface TemporalRuns extends Runs {
  /** Has units that a kill left without a page taken out of the index, after a while. */
  removeOrphans(project: string): Promise<void>
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

  function start(
    type: string,
    workflowId: string,
    arg: unknown,
    more: { startDelay?: typeof orphanDelay } = {},
  ) {
    return ask(() =>
      client.workflow.start(type, {
        taskQueue,
        workflowId,
        args: [arg],
        workflowIdConflictPolicy: 'USE_EXISTING',
        ...more,
      }),
    )
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

    async removeOrphans(project) {
      await start('removeOrphans', workflowIds.orphans(project), project, { startDelay: orphanDelay })
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
