// The gateway of this process, with the files that it serves. Its core is in the same process, or elsewhere (LECTERN_CORE_URL).
import { fileURLToPath } from 'node:url'
import { createClient, type Transport } from '@connectrpc/connect'
import { createGateway, type GatewayOptions } from '../gateway/gateway.ts'
import { createStatic, openStatic, policies, type StaticFiles } from '../gateway/static.ts'
import { Health, HealthCheckResponse_ServingStatus as Status } from '../gen/grpc/health/v1/health_pb.js'
import type { Config } from '../services/config.ts'
import { createNetworkKey } from '../services/limit/network-key.ts'
import { manualFolder, readManual } from './manual.ts'

const demoFolder = new URL('../web/demo/', import.meta.url)
const referenceFolder = new URL('../web/reference/', import.meta.url)

interface OpenGatewayOptions
  extends Pick<GatewayOptions, 'transport' | 'vouch' | 'readiness' | 'processMetrics' | 'log'> {
  config: Config
  /** LECTERN_SECRET, in base64. */
  secret: string
}

interface OpenGateway {
  port: number
  /** Asks the core which addresses are blocked. */
  refreshBlocks(): Promise<void>
  close(): Promise<void>
}

/** Listens; rejects where the address is taken. */
export async function openGateway(options: OpenGatewayOptions): Promise<OpenGateway> {
  const { config, transport, vouch, secret, readiness, processMetrics, log } = options
  const gateway = createGateway({
    transport,
    address: config.http,
    publicUrl: config.publicUrl,
    dataFolder: config.data,
    trustProxy: config.trustProxy,
    networkKey: createNetworkKey(secret),
    vouch,
    readiness,
    processMetrics,
    pages: {
      demo: await openStatic(fileURLToPath(demoFolder), {
        'marked.js': fileURLToPath(import.meta.resolve('marked')),
      }),
      manual: createStatic(await readManual(manualFolder)),
      reference: openReference,
    },
    log,
  })
  return {
    port: await gateway.listen(),
    refreshBlocks: () => gateway.refreshBlocks(),
    close: () => gateway.close(),
  }
}

let reference: Promise<StaticFiles> | null = null

/** The library that shows descriptions is two megabytes, which most processes never need. */
function openReference(): Promise<StaticFiles> {
  const library = (file: string) => fileURLToPath(import.meta.resolve(`swagger-ui-dist/${file}`))
  const files = {
    'swagger-ui.js': library('swagger-ui-bundle.js'),
    'swagger-ui.css': library('swagger-ui.css'),
  }
  reference ??= openStatic(fileURLToPath(referenceFolder), files, policies.library).catch((error) => {
    reference = null
    throw error
  })
  return reference
}

/** What a core elsewhere says of its backends; `core` where it says nothing. */
export function createRemoteReadiness(transport: Transport): () => Promise<string[]> {
  const health = createClient(Health, transport)
  return async () => {
    try {
      const { statuses } = await health.list({}, { timeoutMs: 4_000 })
      const isBackend = (name: string) => name !== '' && !name.includes('.')
      return Object.entries(statuses)
        .filter(([name, { status }]) => isBackend(name) && status !== Status.SERVING)
        .map(([name]) => name)
    } catch {
      return ['core']
    }
  }
}
