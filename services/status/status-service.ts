// StatusService: version, drivers, models and projects.
import type { MessageInitShape } from '@bufbuild/protobuf'
import type { ServiceImpl } from '@connectrpc/connect'
import type { ProjectStatusSchema, StatusService } from '../../gen/lectern/v1/status_pb.js'
import { type Config, version } from '../config.ts'
import { callerOf, teamOf } from '../context.ts'
import type { EmbeddingClient } from '../embedding/embedding-client.ts'
import { toTime, withoutNulls } from '../message.ts'
import { nextTime } from '../project/project-change.ts'
import { createBackendCheck, type Ping } from '../server/health.ts'
import type { Project } from '../store/project.ts'
import type { Store } from '../store/store.ts'
import { toRun } from '../sync/sync-message.ts'

interface StatusDeps {
  store: Store
  /** Resolve if the driver answers. */
  pings: Record<'store' | 'index' | 'runs', Ping>
  drivers: Record<'store' | 'index' | 'runs', string>
  /** Name of the language model; `extractive` without one. */
  model: string
  /** Null where embeddings are off. */
  embeddingModel: string | null
  embedding: Pick<EmbeddingClient, 'progress'>
}

/** Each project costs a query of the index. */
const maxProjects = 100

export function createStatusService(deps: StatusDeps): ServiceImpl<typeof StatusService> {
  const { store, drivers, model, embeddingModel, embedding } = deps
  const away = createBackendCheck(deps.pings)

  async function toStatus(project: Project): Promise<MessageInitShape<typeof ProjectStatusSchema>> {
    const { uuid, slug, name, config } = project
    const { schedule } = config.sync
    const next = schedule === null ? null : nextTime(schedule)
    const [pageCount, run, sources, progress] = await Promise.all([
      store.pages.count(uuid),
      store.runs.latest(uuid),
      store.sources.all(uuid),
      embedding.progress(uuid),
    ])
    const failed = sources.filter(({ state }) => state === 'failed')
    return {
      slug,
      name,
      pageCount,
      failedSources: failed.map(({ uuid, name, lastError }) => ({ uuid, name, lastError: lastError ?? '' })),
      ...withoutNulls({
        schedule,
        lastSync: run && toRun(run, progress),
        nextSyncAt: next && toTime(next.toISOString()),
        embedding: progress,
      }),
    }
  }

  return {
    async getStatus({ offset }, context) {
      const { projects } = callerOf(context)
      const page = { offset, limit: maxProjects }
      const [missing, { count, rows }] = await Promise.all([
        away(),
        store.projects.list(teamOf(context), projects && [...projects], page),
      ])
      return {
        status: {
          version,
          drivers: Object.entries(drivers).map(([port, driver]) => ({
            ...{ port, driver },
            available: !missing.includes(port),
          })),
          model,
          ...(embeddingModel !== null && { embeddingModel }),
          projectCount: count,
          projects: await Promise.all(rows.map(toStatus)),
        },
      }
    },
  }
}

/** Drivers by port, from the settings. */
export function toDriverNames({
  mongodb,
  weaviate,
  temporal,
}: Pick<Config, 'mongodb' | 'weaviate' | 'temporal'>): StatusDeps['drivers'] {
  return {
    store: mongodb ? 'mongodb' : 'sqlite',
    index: weaviate ? 'weaviate' : 'segments',
    runs: temporal ? 'temporal' : 'local',
  }
}
