// Puts Lectern together: drivers, threads, core and gateway in one process. Opening fails with one clear sentence.
import { randomUUID } from 'node:crypto'
import { fileURLToPath } from 'node:url'
import type { Transport } from '@connectrpc/connect'
import type { Logger } from 'pino'
import { createGateway } from '../../gateway/gateway.ts'
import { createStatic, openStatic } from '../../gateway/static.ts'
import { openLocalRuns } from '../../workflows/local/local-runs.ts'
import { openSearchRecorder } from '../analytics/search-recorder.ts'
import { createChatAccess } from '../chat/chat-access.ts'
import { createChatService } from '../chat/chat-service.ts'
import { openEvidence } from '../chat/evidence-client.ts'
import { createLiveTurns } from '../chat/live-turns.ts'
import { createRestoreTokens } from '../chat/restore-token.ts'
import { openRetention } from '../chat/retention.ts'
import { review } from '../chat/review.ts'
import { createTurnService } from '../chat/turn-handler.ts'
import { type Config, toBackends } from '../config.ts'
import { createDocumentService } from '../document/document-service.ts'
import { openEmbedding } from '../embedding/embedding-client.ts'
import { createCallerReader, createCallerSigner } from '../interceptors/caller-signature.ts'
import { createKeyService } from '../key/key-service.ts'
import { createLimitService } from '../limit/limit-service.ts'
import { createNetworkKey } from '../limit/network-key.ts'
import { openModel } from '../model/open-model.ts'
import { createAnswerSetupService } from '../project/answer-setup.ts'
import { createProjectService } from '../project/project-service.ts'
import { createRecrawlService } from '../recrawl/recrawl-service.ts'
import type { Runs } from '../runs/runs.ts'
import { openSearchThread } from '../search/search-client.ts'
import { createSearchService } from '../search/search-handler.ts'
import { createCore } from '../server/core.ts'
import { openCoreServer } from '../server/core-server.ts'
import { createInMemoryTransport } from '../server/in-memory-transport.ts'
import { createSourceService } from '../source/source-service.ts'
import type { Store } from '../store/store.ts'
import { type RunDeps, startScheduled } from '../sync/start-run.ts'
import { createSyncService } from '../sync/sync-service.ts'
import { openStore } from './drivers.ts'
import { manualFolder, readManual } from './manual.ts'
import { openSecrets, type Secrets } from './secrets.ts'
import type { SyncThreadData } from './sync-thread.ts'

const demoFolder = new URL('../../web/demo/', import.meta.url)

export interface Application {
  /** The core within the process, for callers of our own. */
  transport: Transport
  secrets: Secrets
  /** Base address of the gateway, such as `http://127.0.0.1:8080`. */
  baseUrl: string
  close(): Promise<void>
}

export async function openApplication(config: Config, log: Logger): Promise<Application> {
  const report = (error: unknown) => log.error({ err: error }, 'background work failed')
  const store = await openStore(config)
  const secrets = await openSecrets(config.data, config)
  await ensureTeam(store)

  const backends = toBackends(config)
  const baseUrl = config.publicUrl ?? `http://${toHost(config.http)}`
  const identity = { now: () => new Date(), newUuid: randomUUID }
  const [runs, searcher, embedding, evidence] = await Promise.all([
    openRuns(config, store, baseUrl, identity, report),
    openSearchThread({ backends, embeddings: config.embeddings }, report),
    openEmbedding(backends, config.embeddings, report),
    openEvidence(report),
  ])
  const recorder = openSearchRecorder(store.analytics, Date.now, report)

  const deps: RunDeps = { ...identity, store, runs }
  const secret = secrets.secret.toString('base64')
  const networkKey = createNetworkKey(secret)
  const tokens = createRestoreTokens(secret)
  const { legacyChats } = config
  const access = createChatAccess({ store, tokens, networkKey, legacyChats, now: identity.now })
  const model = await openModel(config.llm, evidence.quote)
  const turns = createLiveTurns()
  const core = createCore(
    {
      store,
      log,
      now: identity.now,
      adminKey: secrets.adminKey,
      readOrigin: createCallerReader(secret, identity.now),
    },
    {
      projects: {
        ...createProjectService(deps),
        ...createAnswerSetupService({
          store,
          model: model.name,
          embedding,
        }),
      },
      sources: createSourceService(deps),
      sync: createSyncService({ ...deps, embedding }),
      recrawl: createRecrawlService(deps),
      search: createSearchService({ ...identity, recorder, search: searcher.search }),
      documents: createDocumentService(deps),
      keys: createKeyService(deps),
      chat: {
        ...createChatService({ store, access }),
        ...createTurnService({
          store,
          access,
          tokens,
          limits: store.limits,
          turns,
          model,
          passages: searcher.passages,
          review,
          checkAnswer: evidence.checkAnswer,
          newUuid: identity.newUuid,
          clock: Date.now,
          report: (error) => log.error({ err: error }, 'a turn went wrong'),
        }),
      },
      limits: createLimitService({
        limits: store.limits,
        networkKey,
        now: identity.now,
        report,
      }),
    },
  )
  const checks = { store: () => store.ping(), index: () => searcher.ping(), runs: () => runs.ping() }
  const coreServer = await openCoreServer(core, { address: config.grpc, backends: checks })
  const transport = createInMemoryTransport(core)
  const gateway = createGateway({
    transport,
    address: config.http,
    publicUrl: config.publicUrl,
    trustProxy: config.trustProxy,
    sign: createCallerSigner(secret, identity.now),
    readiness: checks,
    pages: {
      demo: await openStatic(fileURLToPath(demoFolder), {
        'marked.js': fileURLToPath(import.meta.resolve('marked')),
      }),
      manual: createStatic(await readManual(manualFolder)),
      first: () => firstPublicSlug(store),
    },
    log,
  })
  await gateway.listen()
  await takeUpSchedules(store, runs)
  const retention = openRetention({ store, now: identity.now, report })

  return {
    transport,
    secrets,
    baseUrl,
    /** Turns first, whose readers are told; then from the outside in: callers, work, and what it stands on. */
    async close() {
      await turns.close()
      await gateway.close()
      await coreServer.close()
      await recorder.close()
      await retention.close()
      await runs.close()
      await searcher.close()
      await embedding.close()
      await evidence.close()
      await store.close()
    },
  }
}

async function openRuns(
  config: Config,
  store: Store,
  baseUrl: string,
  identity: Pick<RunDeps, 'now' | 'newUuid'>,
  report: (error: unknown) => void,
): Promise<Runs> {
  const threadData: SyncThreadData = {
    backends: toBackends(config),
    crawlAllow: config.crawlAllow,
    pageLimit: config.pageLimit,
    manualBase: `${baseUrl}/manual/`,
  }
  const runs: Runs = await openLocalRuns({
    entry: new URL('./sync-thread.ts', import.meta.url),
    threadData,
    report,
    startScheduled: (project) => startScheduled({ ...identity, store, runs }, project),
  })
  return runs
}

async function takeUpSchedules(store: Store, runs: Runs) {
  for (const project of await store.projects.scheduled()) {
    await runs.schedule(project.uuid, project.config.sync.schedule)
  }
}

/** Where `/` leads: the demo page of the first project of the first team. */
async function firstPublicSlug(store: Store): Promise<string | null> {
  const team = await store.teams.first()
  const projects = team && (await store.projects.list(team.uuid, null, { offset: 0, limit: 100 }))
  return projects?.rows.find((project) => !project.isPrivate)?.slug ?? null
}

/** The first team, which the admin key works in. */
async function ensureTeam(store: Store) {
  if (await store.teams.first()) return
  await store.teams.insert({ uuid: randomUUID(), name: 'Team', createdAt: new Date().toISOString() })
}

function toHost({ host, port }: Config['http']): string {
  const reachable = host === '0.0.0.0' ? '127.0.0.1' : host === '::' ? '::1' : host
  return `${reachable.includes(':') ? `[${reachable}]` : reachable}:${port}`
}
