import type { ServiceImpl } from '@connectrpc/connect'
import { normalizeUrl } from '../../crawler/url.ts'
import {
  EventLevel,
  EventType,
  RunTrigger,
  type SyncRun,
  type SyncService,
} from '../../gen/lectern/v1/sync_pb.js'
import { projectOf } from '../context.ts'
import type { EmbeddingClient } from '../embedding/embedding-client.ts'
import { DomainError } from '../errors.ts'
import { readEnum } from '../message.ts'
import { readPageRequest } from '../store/paging.ts'
import type { Project } from '../store/project.ts'
import type { RunWithCounts } from '../store/run.ts'
import { createRunWatch } from './run-watch.ts'
import { cancelRun, hasSources, isLive, type RunDeps, startRun } from './start-run.ts'
import { toEvent, toRun, toSummary } from './sync-message.ts'

interface SyncDeps extends RunDeps {
  embedding: Pick<EmbeddingClient, 'progress'>
}

export function createSyncService(deps: SyncDeps): ServiceImpl<typeof SyncService> {
  const { store, embedding } = deps
  const watch = createRunWatch(deps)

  async function existing(project: Project, uuid: string): Promise<RunWithCounts> {
    const run = await store.runs.get(project.uuid, uuid)
    if (run === null) throw new DomainError('not_found', 'The project has no such sync run.')
    return run
  }

  async function readLatest(project: Project): Promise<RunWithCounts> {
    const run = await store.runs.latest(project.uuid)
    if (run === null) throw new DomainError('never_synced', 'The project has never been synced.')
    return run
  }

  /** A project is embedded for its latest run: older ones have no progress of it. */
  async function toRuns(project: Project, runs: RunWithCounts[]): Promise<SyncRun[]> {
    const progress = await embedding.progress(project.uuid)
    const latest = progress && (await store.runs.latest(project.uuid))
    return runs.map((run) => toRun(run, run.uuid === latest?.uuid ? progress : null))
  }

  const toOne = async (project: Project, run: RunWithCounts) => (await toRuns(project, [run]))[0]!

  return {
    async startSync({ trigger, unlessRunning }, context) {
      const project = projectOf(context)
      if (!(await hasSources(store, project.uuid))) {
        throw new DomainError('no_sources', 'The project has no sources: add one, then start the sync.')
      }
      if (unlessRunning) {
        const latest = await store.runs.latest(project.uuid)
        if (latest && isLive(latest)) {
          throw new DomainError('sync_running', 'A sync of the project is running already.')
        }
      }
      return { run: toSummary(await startRun(deps, project, readEnum(RunTrigger, trigger) ?? 'api')) }
    },

    async cancelSync({ syncUuid }, context) {
      const project = projectOf(context)
      await cancelRun(deps, await existing(project, syncUuid))
      return { run: toSummary(await existing(project, syncUuid)) }
    },

    async getSync({ syncUuid }, context) {
      const project = projectOf(context)
      return { run: await toOne(project, await existing(project, syncUuid)) }
    },

    async getLatestSync(_request, context) {
      const project = projectOf(context)
      return { run: await toOne(project, await readLatest(project)) }
    },

    async listSyncs(request, context) {
      const project = projectOf(context)
      const { count, rows } = await store.runs.list(project.uuid, readPageRequest(request))
      return { count, results: await toRuns(project, rows) }
    },

    async listSyncEvents(request, context) {
      const run = await existing(projectOf(context), request.syncUuid)
      const { url, reason, sourceUuid } = request
      const filter = {
        level: readEnum(EventLevel, request.level),
        type: readEnum(EventType, request.type),
        url: url ? (normalizeUrl(url) ?? url) : undefined,
        reason: reason || undefined,
        sourceUuid: sourceUuid || undefined,
      }
      const { count, rows } = await store.runs.events(run.uuid, filter, readPageRequest(request))
      return { count, results: rows.map(toEvent) }
    },

    async *watchSync({ syncUuid }, context) {
      const project = projectOf(context)
      const uuid = syncUuid || (await readLatest(project)).uuid
      yield* watch(project.uuid, uuid, context.signal)
    },
  }
}
