// Starts what this process runs, by its role. It listens first and opens the rest afterwards: the health check answers from the start
// and names what is still opening.
import { randomUUID } from 'node:crypto'
import type { Transport } from '@connectrpc/connect'
import type { Logger } from 'pino'
import { type Backends, type Config, toBackends, toBaseUrl, toHost } from '../services/config.ts'
import { toContext } from '../services/context.ts'
import { openSecrets } from '../services/data/data-folder.ts'
import { openIndex, openStore } from '../services/drivers.ts'
import { createEmbeddingClient, type EmbeddingClient } from '../services/embedding/embedding-client.ts'
import { createCallerSigner } from '../services/guard/identify.ts'
import { openHourly } from '../services/hourly.ts'
import { createModelProbe, probeWarning } from '../services/model/model-health.ts'
import type { Runs } from '../services/runs/runs.ts'
import { createSearchClient, type SearchClient } from '../services/search/search-client.ts'
import { openCoreServer } from '../services/server/core-server.ts'
import { createInMemoryTransport } from '../services/server/in-memory-transport.ts'
import type { Store } from '../services/store/store.ts'
import { startScheduled } from '../services/sync/start-run.ts'
import { type RunChange, watchRuns } from '../services/sync/watch-runs.ts'
import { threadKinds } from '../services/thread/kinds.ts'
import { createThread } from '../services/thread/thread.ts'
import { createStartingCore, openCore } from './core.ts'
import { createCoreTransport, createRemoteReadiness, openGateway } from './gateway.ts'
import { createAvailability, createChecks, createProcessMetrics, toServers } from './health.ts'
import { createReport, createRunReport, type LogTail } from './process.ts'

export interface Opened {
  /** The address of each part: `gateway http://127.0.0.1:8080`. */
  addresses: string[]
  /** The core of the role `all`, for calls from this process. */
  local: Local | null
}

export interface Local {
  transport: Transport
  adminKey: string
  /** Whether this start created the admin key, which is then shown once. */
  adminKeyIsNew: boolean
}

/** The resources of a process in closing order: connections of readers first, then each resource before those it uses. */
const closingOrder = [
  ...['turns', 'gateway', 'coreTransport', 'coreServer', 'core', 'hourly'],
  ...['worker', 'runs', 'search', 'embedding', 'index', 'store'],
] as const

type Start = ReturnType<typeof createStart>

const roles: Record<Config['role'], (start: Start) => Promise<Opened>> = {
  all: startAll,
  gateway: startGateway,
  core: startCoreAlone,
  worker: startWorker,
}

export function openApplication(config: Config, log: Logger, logTail: LogTail) {
  const stopping = new AbortController()
  const start = createStart({ config, log, logTail }, stopping.signal)
  return {
    /** Resolves when everything is open. Waits for unavailable servers; rejects with any other error. */
    opened: roles[config.role](start),
    /** May be called at any time. */
    async close() {
      stopping.abort()
      for (const name of closingOrder) await start.resources[name]?.close()
    },
  }
}

/** Creates what every role needs. */
function createStart(given: { config: Config; log: Logger; logTail: LogTail }, signal: AbortSignal) {
  const { config, log } = given
  const metrics = createProcessMetrics(config.data)
  return {
    ...given,
    metrics,
    /** Logs errors of background work. */
    report: createReport(log, 'background work failed'),
    servers: toServers(config),
    availability: createAvailability(log, signal),
    reportRun: createRunReport(log, metrics),
    /** Each resource is added as soon as it is open. */
    resources: {} as Partial<Record<string, { close(): unknown }>>,
  }
}

async function startAll(start: Start): Promise<Opened> {
  const { config, log, metrics, resources } = start
  const { secrets, transport, readiness, opened } = await startCore(start, { alsoWorks: true })
  const gateway = await openGateway({
    ...{ config, log, transport, readiness },
    secret: secrets.secret.toString('base64'),
    attestOrigin: toContext,
    processMetrics: metrics.registry,
  })
  resources.gateway = gateway
  await opened
  await gateway.refreshBlocks()
  if (config.temporal) resources.worker = await openWorker(start)
  const { adminKey, adminKeyIsNew } = secrets
  return {
    addresses: [`gateway ${toBaseUrl(config)}`, `core ${toHost(config.grpc)}`],
    local: { transport, adminKey, adminKeyIsNew },
  }
}

async function startGateway({ config, log, logTail, resources }: Start): Promise<Opened> {
  const secret = config.secret!
  const transport = createCoreTransport(config.coreUrls)
  resources.coreTransport = transport
  resources.gateway = await openGateway({
    ...{ config, log, logTail, transport, secret },
    attestOrigin: createCallerSigner(secret, () => new Date()),
    readiness: createRemoteReadiness(transport),
  })
  return { addresses: [`gateway ${toBaseUrl(config)}`], local: null }
}

async function startCoreAlone(start: Start): Promise<Opened> {
  const { opened } = await startCore(start, { alsoWorks: false })
  await opened
  return { addresses: [`core ${toHost(start.config.grpc)}`], local: null }
}

/** Runs crawls for Temporal, embeds sections, and erases expired data. Its port serves only the health check and metrics. */
async function startWorker(start: Start): Promise<Opened> {
  const { config, log, report, servers, availability, metrics, resources } = start
  const checks = createChecks()
  const starting = createStartingCore(log)
  const serverOptions = { address: config.grpc, backends: checks, metrics: metrics.registry }
  resources.coreServer = await openCoreServer(starting, serverOptions)

  const store = await availability.retryUntilAvailable(servers.store, () => openStore(config))
  resources.store = store
  checks.store = store.ping
  const index = await availability.retryUntilAvailable(servers.index, () => openIndex(config))
  resources.index = index
  checks.index = index.ping
  const runs = await openRuns(start, store)
  resources.runs = runs
  checks.runs = runs.ping
  resources.worker = await openWorker(start)
  const { embeddings } = config
  const embedding = createEmbeddingClient({ backends: toBackends(config), embeddings }, log, report)
  resources.embedding = embedding
  embedding.start()
  resources.hourly = openHourly({ store, isAlone: false, now: () => new Date(), report })
  availability.watch(servers.store, store.ping)
  availability.watch(servers.index, index.ping)
  availability.watch(servers.runs, runs.ping)
  return { addresses: [`worker, health ${toHost(config.grpc)}`], local: null }
}

/**
 * The core listens, waits for its store, and opens the rest. Calls before `opened` fail as `unavailable`. `alsoWorks`: whether this
 * process also embeds sections and erases expired data.
 */
async function startCore(start: Start, { alsoWorks }: { alsoWorks: boolean }) {
  const { config, log, logTail, report, servers, availability, metrics, reportRun, resources } = start
  const secrets = await openSecrets(config.data, config)
  for (const secret of [secrets.adminKey, secrets.secret.toString('base64')]) logTail.hide(secret)
  const starting = createStartingCore(log)
  const probeModel = config.llm && createModelProbe(config.llm)
  const checks = { ...createChecks(), ...(probeModel && { model: probeModel }) }
  probeModel?.().catch((error) => log.warn(probeWarning(config.llm!, error)))
  const serverOptions = { address: config.grpc, backends: checks, metrics: metrics.registry }
  const coreServer = await openCoreServer(starting, serverOptions)
  resources.coreServer = coreServer
  const { away } = coreServer
  const transport = createInMemoryTransport(starting)

  async function open() {
    const now = () => new Date()
    const opened = await availability.retryUntilAvailable(servers.store, () => openStore(config))
    const store = watchRuns(opened, reportRun)
    resources.store = store
    await availability.retryUntilAvailable(servers.store, () => ensureTeam(store.teams, now()))
    const [backends, { embeddings }] = [toBackends(config), config]
    const embedding = createEmbeddingClient(
      { backends: alsoWorks ? backends : null, embeddings },
      log,
      report,
    )
    resources.embedding = embedding
    const { embed } = embedding
    const search = createSearchClient({ backends, embeddings }, report, { embed })
    resources.search = search
    metrics.readFrom({ liveRuns: store.runs.live, indexTotals: search.totals })
    checks.index = search.ping
    const searching = openSearch(search, embedding, backends)
    // The embedded index opens at once.
    const opening = servers.index === null ? searching : null
    const [runs] = await Promise.all([openRuns(start, store), opening])
    resources.runs = runs
    checks.runs = runs.ping
    if (alsoWorks) resources.hourly = openHourly({ store, isAlone: config.mongodb === null, now, report })
    const core = await openCore({
      ...{ config, secrets, store, runs, search, embed, metrics, away, log, logTail, report },
      embedding: alsoWorks ? embedding : search,
    })
    resources.turns = core.turns
    resources.core = core
    transport.serve(core.core)
    coreServer.serve(core.core)
    // Until here, calls fail because Lectern is starting, and the health check says that the store is away.
    checks.store = store.ping

    availability.watch(servers.store, store.ping)
    availability.watch(servers.runs, runs.ping)
    // The server may have lost its schedules, or may be a new one.
    availability.retryUntilAvailable(servers.runs, () => restoreSchedules(store, runs)).catch(report)
    await searching
  }

  /** The index server may start later. Until then searches fail, and everything else works. */
  async function openSearch(search: SearchClient, embedding: EmbeddingClient, backends: Backends) {
    if (servers.index) {
      const index = await availability.retryUntilAvailable(servers.index, () => openIndex(backends))
      await index.close()
    }
    embedding.start()
    await availability.retryUntilAvailable(servers.index, search.open)
    availability.watch(servers.index, search.ping)
  }

  const opened = open()
  // Avoids an unhandled rejection: the caller awaits it only after the gateway is open.
  opened.catch(() => {})
  return { secrets, transport, readiness: away, opened }
}

const toCrawlThread = ({ config, report, reportRun }: Start) => ({
  entry: new URL('./crawl-thread.ts', import.meta.url),
  workerData: config,
  report,
  serves: { reportRun: async (change: RunChange) => reportRun(change) },
})

/** Opens Temporal if its address is set, which also needs a worker; else a thread of this process. Temporal's modules load only then. */
async function openRuns(start: Start, store: Store): Promise<Runs> {
  const { config, report } = start
  if (config.temporal) {
    const { openTemporalRuns } = await import('../workflows/temporal/temporal-runs.ts')
    return openTemporalRuns({ ...config.temporal, store, report })
  }
  const { openLocalRuns } = await import('../workflows/local/local-runs.ts')
  const runs: Runs = await openLocalRuns({
    ...toCrawlThread(start),
    startScheduled: (project) =>
      startScheduled({ store, runs, now: () => new Date(), newUuid: randomUUID }, project),
  })
  return runs
}

/** Runs Temporal's worker on a thread, which is restarted if it dies. Resolves when store and index are open. */
async function openWorker(start: Start) {
  // Never idle: the thread itself polls Temporal.
  const thread = createThread({ ...threadKinds.crawl, ...toCrawlThread(start), idleTimeout: null })
  await thread.start()
  return thread
}

/** Passes the schedules in the store to the driver. */
export async function restoreSchedules(store: Store, runs: Runs) {
  for (const { uuid, config } of await store.projects.all()) {
    if (config.sync.schedule !== null) await runs.schedule(uuid, config.sync.schedule)
  }
}

/** The admin key's team. The UUID is fixed, so that several processes that start on an empty store insert the same row. */
const firstTeam = '4c656374-6572-4e00-8000-000000000001'

export async function ensureTeam(teams: Store['teams'], now: Date): Promise<void> {
  if ((await teams.first()) === null) {
    await teams.insert({ uuid: firstTeam, name: 'Team', createdAt: now.toISOString() })
  }
}
