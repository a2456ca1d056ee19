// Composes the core: the services of the contract over a store, an index, a model and a driver of runs.
import { randomUUID } from 'node:crypto'
import type { Logger } from 'pino'
import { readAllowList } from '../crawler/address.ts'
import { createFetcher } from '../crawler/fetch.ts'
import { createAnalyticsService } from '../services/analytics/analytics-service.ts'
import { createTextVectors } from '../services/analytics/clusters.ts'
import { openSearchRecorder } from '../services/analytics/search-recorder.ts'
import { createJudge, toMeaning } from '../services/answer/citation-check.ts'
import { quoteSection } from '../services/answer/extractive.ts'
import { createReadLanguages } from '../services/answer/replies.ts'
import { createReview } from '../services/answer/review.ts'
import { createVerify } from '../services/answer/verify-citations.ts'
import { createChatAccess, createRestoreTokens } from '../services/chat/chat-access.ts'
import { createChatService } from '../services/chat/chat-service.ts'
import { createLiveTurns } from '../services/chat/live-turns.ts'
import { createTurnService } from '../services/chat/turn-handler.ts'
import { type Config, toBackends, toBaseUrl, toServiceAddresses } from '../services/config.ts'
import { createEmbedder, createModel } from '../services/create-model.ts'
import type { Secrets } from '../services/data/data-folder.ts'
import { createDocumentService } from '../services/document/document-service.ts'
import type { EmbeddingClient } from '../services/embedding/embedding-client.ts'
import { DomainError } from '../services/errors.ts'
import { createErrorInterceptor } from '../services/guard/guard.ts'
import { createCallerVerifier } from '../services/guard/identify.ts'
import { createKeyService } from '../services/key/key-service.ts'
import { createLimitService, createMessageLimits } from '../services/limit/message-limits.ts'
import { createNetworkKey } from '../services/limit/network-key.ts'
import { createMcpService } from '../services/mcp/mcp-service.ts'
import type { EmbedCall } from '../services/model/local/embed-call.ts'
import { observeModel } from '../services/model/model-health.ts'
import { createCheckDescription, createOpenApiService } from '../services/openapi/openapi-service.ts'
import { createPageService } from '../services/page/page-service.ts'
import { createProjectService } from '../services/project/project-service.ts'
import { createRecrawlService } from '../services/recrawl/recrawl-service.ts'
import { createRoutes } from '../services/routes.ts'
import type { Runs } from '../services/runs/runs.ts'
import { createSimilarities, type Similarities } from '../services/search/meaning.ts'
import type { SearchClient } from '../services/search/search-client.ts'
import { createSearchService } from '../services/search/search-service.ts'
import { type Core, createCore } from '../services/server/core.ts'
import { createCredentialKeeper } from '../services/source/credentials.ts'
import { createSourceService } from '../services/source/source-service.ts'
import { createUploads } from '../services/source/upload-sources.ts'
import { createStatusService, toDriverNames } from '../services/status/status-service.ts'
import type { Store } from '../services/store/store.ts'
import type { RunDeps } from '../services/sync/start-run.ts'
import { createSyncService } from '../services/sync/sync-service.ts'
import { createTeamService } from '../services/team/team-service.ts'
import { createBackup } from '../services/transfer/backup.ts'
import { openParsePool } from '../workflows/parse/parse-pool.ts'
import { createRead } from '../workflows/source-crawl.ts'
import { createTestAddress } from '../workflows/test-address.ts'
import type { ProcessMetrics } from './health.ts'
import { createManualFetcher } from './manual.ts'
import { createReport, type LogTail } from './process.ts'

interface OpenCoreOptions {
  config: Config
  secrets: Secrets
  store: Store
  runs: Runs
  search: SearchClient
  /** Embeds with the model of this process. */
  embed: EmbedCall
  embedding: Pick<EmbeddingClient, 'progress'>
  metrics: Pick<ProcessMetrics, 'modelCalled'>
  /** Names of the unavailable backends. */
  away(): Promise<string[]>
  log: Logger
  logTail: LogTail
  report(error: unknown): void
}

export async function openCore(options: OpenCoreOptions) {
  const { config, secrets, store, runs, search, embed, embedding, metrics, away, log, logTail, report } =
    options
  const identity = { now: () => new Date(), newUuid: randomUUID }
  const deps: RunDeps = { ...identity, store, runs }
  const secret = secrets.secret.toString('base64')
  const networkKey = createNetworkKey(secret)
  const tokens = createRestoreTokens(secret)
  const { legacyChats } = config
  const access = createChatAccess({ store, tokens, networkKey, legacyChats, now: identity.now })
  const { embeddings } = config
  const embedder = createEmbedder(embeddings, embed)
  const similarities = createSimilarities({ embedder, report })
  const firstModel = embedder?.name
  /** Null after the model was replaced: similarities of another model have an unknown scale. */
  const knownSimilarities: Similarities = async (pairs) => {
    const values = await similarities(pairs)
    return embedder?.name === firstModel ? values : null
  }
  const readLanguages = createReadLanguages(search.languages, report)
  const model = config.llm && observeModel(createModel(config.llm), metrics.modelCalled)
  const modelName = model?.name ?? 'extractive'
  const verify =
    model && config.llm?.verify
      ? createVerify(model, createReport(log, 'citations could not be verified'))
      : null
  const recorder = openSearchRecorder(store.analytics, Date.now, report)
  const turns = createLiveTurns()
  const allow = readAllowList(config.crawlAllow)
  const base = toBaseUrl(config)
  const services = toServiceAddresses(config)
  const fetcher = createManualFetcher(createFetcher({ allow, services }), `${base}/manual/`)
  const unsavedSource = { ...identity, store, allow, credentials: createCredentialKeeper(secrets.secret) }
  // Its thread starts when the first description or address is tested.
  const parsePool = openParsePool(1, report)
  const checkDescription = createCheckDescription({
    fetcher,
    read: (context) => createRead(parsePool, 'openapi', context),
  })
  const testAddress = createTestAddress({ ...unsavedSource, fetcher, parsePool, base, report })
  const limits = createMessageLimits({ limits: store.limits, networkKey, now: identity.now, report })
  const core = createCore(
    {
      store,
      log,
      now: identity.now,
      adminKey: secrets.adminKey,
      readOrigin: createCallerVerifier(secret, identity.now),
      limits,
    },
    {
      projects: createProjectService({ ...deps, embedding, model: modelName }),
      sources: {
        ...createSourceService({ ...unsavedSource, runs, checkDescription, testAddress }),
        ...createUploads({
          ...identity,
          store,
          uploadLimit: config.uploadLimit,
          read: (type, context) => createRead(parsePool, type, context),
        }),
      },
      sync: createSyncService({ ...deps, embedding }),
      openapi: createOpenApiService(checkDescription),
      recrawl: createRecrawlService(deps),
      pages: createPageService({ ...unsavedSource, index: search }),
      search: createSearchService({ ...identity, recorder, pages: store.pages, search: search.search }),
      documents: createDocumentService({ store, base }),
      status: createStatusService({
        ...{ store, away, embedding, limits, turns, model: modelName, embeddingModel: firstModel ?? null },
        now: identity.now,
        drivers: toDriverNames(config),
        log: logTail,
        createBackup: createBackup({ backends: toBackends(config), secret: secrets.secret, report }),
      }),
      keys: createKeyService(deps),
      team: createTeamService({ ...identity, store, pageLimit: config.pageLimit }),
      chat: {
        ...createChatService({ store, access }),
        ...createTurnService({
          store,
          access,
          tokens,
          limits,
          turns,
          model,
          quote: (question, passages) => quoteSection(question, passages, similarities),
          passages: search.passages,
          readLanguages,
          review: createReview(similarities),
          judge: createJudge(toMeaning(config.embeddings, knownSimilarities), verify, readLanguages),
          newUuid: identity.newUuid,
          clock: Date.now,
          report: createReport(log, 'a turn failed'),
        }),
      },
      analytics: createAnalyticsService({
        ...deps,
        vectors: createTextVectors({ embeddings, embedder, readLanguages, report }),
      }),
      limits: createLimitService(limits),
      mcp: createMcpService({ ...identity, recorder }),
    },
  )
  return {
    core,
    /** Live turns. Closing ends each with a final event. */
    turns,
    /** Flushes buffered writes. Store, runs and search stay open. */
    async close() {
      await Promise.all([recorder.close(), parsePool.close(), fetcher.close()])
    },
  }
}

/** The core before the store has answered for the first time. Every call fails as `unavailable`. */
export function createStartingCore(log: Logger): Core {
  const implementation = {}
  return {
    implementation,
    routes: createRoutes(implementation),
    interceptors: [
      createErrorInterceptor(log),
      (next) => async (request) => {
        // Health and reflection answer from the start.
        if (!request.service.typeName.startsWith('lectern.')) return next(request)
        throw new DomainError('unavailable', 'Lectern is starting. Try again soon.', null, undefined, 5)
      },
    ],
  }
}
