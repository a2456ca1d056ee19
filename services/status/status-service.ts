// StatusService: version, drivers, models and projects, and the load of the process and the installation.
import type { GatewayLoad, LogLine, StatusService } from '../../gen/lectern/v1/status_pb.js'
import type { LiveTurns } from '../chat/live-turns.ts'
import { type Config, version } from '../config.ts'
import { callerOf, teamOf } from '../context.ts'
import type { EmbeddingClient } from '../embedding/embedding-client.ts'
import type { MessageLimits } from '../limit/message-limits.ts'
import { nextTime } from '../project/project-change.ts'
import type { Handlers } from '../routes.ts'
import type { Project } from '../store/project.ts'
import type { Store } from '../store/store.ts'

interface StatusDeps {
  store: Store
  /** Names of the unavailable backends. */
  away(): Promise<string[]>
  drivers: Record<'store' | 'index' | 'runs', string>
  /** Name of the language model; `extractive` without one. */
  model: string
  /** The configured model; null if embeddings are off. */
  embeddingModel: string | null
  embedding: Pick<EmbeddingClient, 'progress'>
  limits: Pick<MessageLimits, 'blocked' | 'busiest'>
  log: LogTail
  createBackup(): AsyncGenerator<Uint8Array>
  turns: Pick<LiveTurns, 'load'>
  now(): Date
}

export interface LogTail {
  read(): LogLine[]
  add(lines: LogLine[]): void
}

const onlyOne = { offset: 0, limit: 1 }
/** Each project requires a query of the index. */
const maxProjects = 100
const maxBlocked = 100
const maxNetworks = 20
/** Milliseconds after its last report for which a gateway is considered running. */
const gatewayTimeout = 10_000

export function createStatusService(deps: StatusDeps): Handlers<typeof StatusService> {
  const { store, away, drivers, model, embeddingModel, embedding } = deps
  const gateways = new Map<string, { load: GatewayLoad; at: number }>()

  function listGateways(now: number): GatewayLoad[] {
    for (const [uuid, { at }] of gateways) if (now - at > gatewayTimeout) gateways.delete(uuid)
    return [...gateways.values()].map(({ load }) => load)
  }

  async function toStatus(project: Project) {
    const { uuid, slug, name, config } = project
    const { schedule } = config.sync
    const next = schedule === null ? null : nextTime(schedule)
    const [pageCount, run, sources, progress] = await Promise.all([
      store.pages.count(uuid),
      store.runs.latest(uuid),
      store.sources.all(uuid),
      // The status shows that the index is unavailable.
      embedding.progress(uuid).catch(() => null),
    ])
    const warning = run && (await store.runs.events(run.uuid, { type: 'removals_held' }, onlyOne)).rows[0]
    return {
      slug,
      name,
      pageCount,
      failedSources: sources.filter(({ state }) => state === 'failed'),
      schedule,
      lastSync: run && { ...run, embedding: progress },
      nextSyncAt: next?.toISOString() ?? null,
      embedding: progress,
      removalsHeld: warning?.message ?? null,
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
      const statuses = await Promise.all(rows.map(toStatus))
      return {
        status: {
          version,
          drivers: Object.entries(drivers).map(([port, driver]) => ({
            ...{ port, driver },
            available: !missing.includes(port),
          })),
          model,
          embeddingModel: statuses.find((each) => each.embedding)?.embedding?.model ?? embeddingModel,
          projectCount: count,
          projects: statuses,
        },
      }
    },

    async getSystem() {
      const at = deps.now().getTime()
      const [runs, recrawls, blocked, busiest] = await Promise.all([
        store.runs.live(),
        store.recrawls.live(),
        deps.limits.blocked(0),
        deps.limits.busiest(maxNetworks),
      ])
      const running = runs.filter(({ status }) => status === 'running').length
      const { live, max } = deps.turns.load()
      return {
        system: {
          startedAt: new Date(at - process.uptime() * 1_000).toISOString(),
          memoryBytes: process.memoryUsage.rss(),
          ...{ liveTurns: live, maxTurns: max, runningSyncs: running, queuedSyncs: runs.length - running },
          liveRecrawls: recrawls.length,
          blocked: blocked.slice(0, maxBlocked).map(({ network, blockedSeconds }) => ({
            network,
            until: new Date(at + blockedSeconds * 1_000).toISOString(),
          })),
          networks: busiest.map(({ endsAt, ...network }) => ({
            ...network,
            until: new Date(endsAt).toISOString(),
          })),
          gateways: listGateways(at),
        },
      }
    },

    async getLog() {
      return { lines: deps.log.read() }
    },

    async *createBackup(_, { signal }) {
      const backup = deps.createBackup()
      // If the caller leaves, this generator is not resumed.
      signal.addEventListener('abort', () => backup.return(undefined))
      for await (const data of backup) yield { data }
    },

    async reportGateway({ load, lines }) {
      if (load) gateways.set(load.uuid, { load, at: deps.now().getTime() })
      deps.log.add(lines)
      return {}
    },
  }
}

/** Drivers by port, from the settings. */
export function toDriverNames(config: Pick<Config, 'mongodb' | 'weaviate' | 'temporal'>) {
  return {
    store: config.mongodb ? 'mongodb' : 'sqlite',
    index: config.weaviate ? 'weaviate' : 'segments',
    runs: config.temporal ? 'temporal' : 'local',
  }
}
