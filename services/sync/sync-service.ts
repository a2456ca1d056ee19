// SyncService (decisions.md section 5, "Sync run").
import { setTimeout as delay } from 'node:timers/promises'
import type { ServiceImpl } from '@connectrpc/connect'
import { EventLevel, EventType, type SyncService } from '../../gen/lectern/v1/sync_pb.js'
import { projectOf } from '../context.ts'
import { DomainError } from '../errors.ts'
import type { Project } from '../store/project.ts'
import type { RunWithCounts } from '../store/run.ts'
import { readStretch } from '../stretch.ts'
import { cancelRun, isLive, type RunDeps, startRun } from './start-run.ts'
import { eventLevels, eventTypes, readTrigger, toEvent, toRun, toSummary } from './sync-message.ts'

const watchInterval = 250

export function createSyncService(deps: RunDeps): ServiceImpl<typeof SyncService> {
  const { store } = deps

  async function existing(project: Project, uuid: string): Promise<RunWithCounts> {
    const run = await store.runs.get(project.uuid, uuid)
    if (run === null) throw new DomainError('not_found', 'The project has no such sync run.')
    return run
  }

  /** The page that was read last, of those that write an event. */
  async function lastUrl(run: RunWithCounts): Promise<string | null> {
    const { count } = await store.runs.events(run.uuid, {}, { offset: 0, limit: 1 })
    const { rows } = await store.runs.events(run.uuid, {}, { offset: Math.max(0, count - 1), limit: 1 })
    return rows[0]?.url ?? null
  }

  return {
    async startSync({ trigger, unlessRunning }, context) {
      const project = projectOf(context)
      if (unlessRunning) {
        const latest = await store.runs.latest(project.uuid)
        if (latest && isLive(latest)) {
          throw new DomainError('sync_running', 'A sync of the project is running already.')
        }
      }
      return { run: toSummary(await startRun(deps, project, readTrigger(trigger))) }
    },

    async cancelSync({ syncUuid }, context) {
      const project = projectOf(context)
      await cancelRun(deps, await existing(project, syncUuid))
      return { run: toSummary(await existing(project, syncUuid)) }
    },

    async getSync({ syncUuid }, context) {
      return { run: toRun(await existing(projectOf(context), syncUuid)) }
    },

    async getLatestSync(_request, context) {
      const run = await store.runs.latest(projectOf(context).uuid)
      if (run === null) throw new DomainError('never_synced', 'The project has never been synced.')
      return { run: toRun(run) }
    },

    async listSyncs(request, context) {
      const { count, rows } = await store.runs.list(projectOf(context).uuid, readStretch(request))
      return { count, results: rows.map(toRun) }
    },

    async listSyncEvents(request, context) {
      const run = await existing(projectOf(context), request.syncUuid)
      const filter = {
        ...(request.level !== EventLevel.UNSPECIFIED && { level: nameOf(eventLevels, request.level) }),
        ...(request.type !== EventType.UNSPECIFIED && { type: nameOf(eventTypes, request.type) }),
      }
      const { count, rows } = await store.runs.events(run.uuid, filter, readStretch(request))
      return { count, results: rows.map(toEvent) }
    },

    async *watchSync({ syncUuid }, context) {
      const project = projectOf(context)
      let shown = ''
      for (;;) {
        const run = await existing(project, syncUuid)
        const url = await lastUrl(run)
        const state = JSON.stringify([run.status, run.pages])
        if (state !== shown) yield { run: toRun(run), ...(url && { url }) }
        shown = state
        if (!isLive(run)) return
        await delay(watchInterval, undefined, { signal: context.signal })
      }
    },
  }
}

function nameOf<Name extends string, Value>(table: Record<Name, Value>, value: Value): string {
  return (Object.keys(table) as Name[]).find((name) => table[name] === value) as string
}
