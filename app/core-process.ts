// A core from its first moment: it listens, waits for its store, and opens the rest.
import { randomUUID } from 'node:crypto'
import type { Transport } from '@connectrpc/connect'
import { openEndedDays } from '../services/analytics/ended-days.ts'
import { openRetention } from '../services/chat/retention.ts'
import { type Backends, toBackends } from '../services/config.ts'
import { openSecrets, type Secrets } from '../services/data/secrets.ts'
import { openIndex, openStore } from '../services/drivers.ts'
import { createEmbeddingClient, type EmbeddingClient } from '../services/embedding/embedding-client.ts'
import { createModelProbe, probeWarning } from '../services/model/probe.ts'
import type { Runs } from '../services/runs/runs.ts'
import { createSearchClient, type SearchClient } from '../services/search/search-client.ts'
import { openCoreServer } from '../services/server/core-server.ts'
import { createInMemoryTransport } from '../services/server/in-memory-transport.ts'
import { openBlobSweep } from '../services/source/blobs.ts'
import type { Store } from '../services/store/store.ts'
import { startScheduled } from '../services/sync/start-run.ts'
import { watchRuns } from '../services/sync/watch-runs.ts'
import { openCore } from './core.ts'
import type { StartContext } from './resources.ts'
import { openRuns } from './runs.ts'
import { createChecks } from './servers.ts'
import { createStartingCore } from './starting-core.ts'

interface CoreProcess {
  secrets: Secrets
  /** To the core within the process; calls before it has opened are `unavailable`. */
  transport: Transport
  /** What of that on which it stands is away. */
  readiness(): Promise<string[]>
  opened: Promise<void>
}

/** `alsoWorks`: whether this process also does what nobody waits for: vectors for sections, and erasing chats past their time. */
export async function startCore(
  start: StartContext,
  { alsoWorks }: { alsoWorks: boolean },
): Promise<CoreProcess> {
  const { config, log, report, servers, availability, metrics, tellRun, resources } = start
  const secrets = await openSecrets(config.data, config)
  const starting = createStartingCore(log)
  const probeModel = config.llm && createModelProbe(config.llm)
  const checks = { ...createChecks(), ...(probeModel && { model: probeModel }) }
  probeModel?.().catch((error) => log.warn(probeWarning(config.llm!, error)))
  const coreServer = await openCoreServer(starting, { address: config.grpc, backends: checks, metrics })
  resources.coreServer = coreServer
  const transport = createInMemoryTransport(starting)

  async function open() {
    const opened = await availability.retryUntilAvailable(servers.store, () => openStore(config))
    const store = watchRuns(opened, tellRun)
    resources.store = store
    await availability.retryUntilAvailable(servers.store, () => ensureTeam(store.teams, new Date()))
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
    // The embedded index is there at once.
    if (servers.index === null) await searching
    const runs: Runs = await openRuns({
      config,
      store,
      report,
      tellRun,
      startScheduled: (project) =>
        startScheduled({ store, runs, now: () => new Date(), newUuid: randomUUID }, project),
    })
    resources.runs = runs
    checks.runs = runs.ping
    if (alsoWorks)
      resources.blobSweep = openBlobSweep({
        store,
        isAlone: config.mongodb === null,
        now: () => new Date(),
        report,
      })
    if (alsoWorks) {
      resources.retention = openRetention({ store, now: () => new Date(), report })
      resources.endedDays = openEndedDays({ store, now: () => new Date(), report })
    }
    resources.core = await openCore({
      ...{ config, secrets, store, runs, search, embed, metrics, log, report },
      embedding: alsoWorks ? embedding : search,
    })
    transport.serve(resources.core.core)
    coreServer.serve(resources.core.core)
    // Until now calls were answered as while the store is away, and so is health.
    checks.store = store.ping

    availability.watch(servers.store, store.ping)
    availability.watch(servers.runs, runs.ping)
    // It may have lost them, or be another one than before.
    availability.retryUntilAvailable(servers.runs, () => restoreSchedules(store, runs)).catch(report)
    await searching
  }

  /** A server of the index may come later: until then searches are refused, and all else works. */
  async function openSearch(search: SearchClient, embedding: EmbeddingClient, backends: Backends) {
    if (servers.index) await availability.retryUntilAvailable(servers.index, () => reachIndex(backends))
    embedding.start()
    await search.open()
    availability.watch(servers.index, search.ping)
  }

  const opened = open()
  // Whoever awaits it learns of it; nobody does while the gateway opens.
  opened.catch(() => {})
  return {
    secrets,
    transport,
    readiness: coreServer.away,
    opened,
  }
}

async function reachIndex(backends: Backends) {
  const index = await openIndex(backends)
  await index.close()
}

/** Has the driver know the schedules that the store keeps. */
export async function restoreSchedules(store: Store, runs: Runs) {
  for (const { uuid, config } of await store.projects.scheduled()) {
    await runs.schedule(uuid, config.sync.schedule)
  }
}

/** Of the team that the admin key works in, the same everywhere: of several processes that start on an empty store, each makes the same team. */
const firstTeam = '4c656374-6572-4e00-8000-000000000001'

/** Makes the team where there is none. */
async function ensureTeam(teams: Store['teams'], now: Date): Promise<void> {
  if ((await teams.first()) === null) {
    await teams.insert({ uuid: firstTeam, name: 'Team', createdAt: now.toISOString() })
  }
}
