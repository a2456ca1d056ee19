// What this process is, by its role. It listens first and opens then: whoever asks learns that
// it is there, and what it still waits for.
import type { Transport } from '@connectrpc/connect'
import type { Logger } from 'pino'
import { baseUrlOf, type Config, toHost } from '../services/config.ts'
import { toContext } from '../services/context.ts'
import { createCallerSigner } from '../services/interceptors/caller-signature.ts'
import { createAvailability } from './availability.ts'
import { startCore } from './core-process.ts'
import { createCoreTransport } from './core-transport.ts'
import { createRemoteReadiness, openGateway } from './gateway.ts'
import { createProcessMetrics } from './process-metrics.ts'
import { createReport, createRunReport } from './report.ts'
import { closeResources, type Resources, type StartContext } from './resources.ts'
import { toServers } from './servers.ts'
import { startWorker } from './worker-process.ts'

interface Application {
  /** Resolves when all of it works; rejects with what stops the start. A server that is away is waited for. */
  opened: Promise<Opened>
  /** May be called at any time. */
  close(): Promise<void>
}

export interface Opened {
  /** Where each part is reached: `gateway http://127.0.0.1:8080`. */
  addresses: string[]
  /** The core of the role `all`, for callers of our own. */
  local: Local | null
}

export interface Local {
  transport: Transport
  adminKey: string
  /** Whether the admin key was made just now, so that it is shown once. */
  adminKeyIsNew: boolean
}

const starts: Record<Config['role'], (start: StartContext) => Promise<Opened>> = {
  all: startAll,
  gateway: startGateway,
  core: startCoreAlone,
  worker: startWorkerAlone,
}

export function openApplication(config: Config, log: Logger): Application {
  const stopping = new AbortController()
  const resources: Resources = {}
  const metrics = createProcessMetrics(config.data)
  const opened = starts[config.role]({
    config,
    log,
    report: createReport(log, 'background work failed'),
    servers: toServers(config),
    availability: createAvailability(log, stopping.signal),
    metrics,
    tellRun: createRunReport(log, metrics),
    resources,
  })
  return {
    opened,
    async close() {
      stopping.abort()
      await closeResources(resources)
    },
  }
}

async function startAll(start: StartContext): Promise<Opened> {
  const { config, log, metrics, resources } = start
  const { secrets, transport, readiness, opened } = await startCore(start, { alsoWorks: true })
  const secret = secrets.secret.toString('base64')
  const gateway = await openGateway({
    ...{ config, log, transport, secret, readiness },
    vouch: toContext,
    processMetrics: metrics.render,
  })
  resources.gateway = gateway
  await opened
  await gateway.refreshBlocks()
  if (config.temporal) {
    const { openWorker } = await import('./worker.ts')
    resources.worker = await openWorker(start)
  }
  const { adminKey, adminKeyIsNew } = secrets
  return {
    addresses: [`gateway ${baseUrlOf(config)}`, `core ${toHost(config.grpc)}`],
    local: { transport, adminKey, adminKeyIsNew },
  }
}

async function startGateway({ config, log, resources }: StartContext): Promise<Opened> {
  const transport = createCoreTransport(config.coreUrls)
  resources.coreTransport = transport
  const readiness = createRemoteReadiness(transport)
  resources.gateway = await openGateway({
    config,
    log,
    transport,
    vouch: createCallerSigner(config.secret!, () => new Date()),
    secret: config.secret!,
    readiness,
  })
  return { addresses: [`gateway ${baseUrlOf(config)}`], local: null }
}

async function startCoreAlone(start: StartContext): Promise<Opened> {
  const { opened } = await startCore(start, { alsoWorks: false })
  await opened
  return { addresses: [`core ${toHost(start.config.grpc)}`], local: null }
}

async function startWorkerAlone(start: StartContext): Promise<Opened> {
  await startWorker(start)
  return { addresses: [`worker, health ${toHost(start.config.grpc)}`], local: null }
}
