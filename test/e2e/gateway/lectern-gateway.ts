// A gateway on a free port in front of a real core with its interceptors. The handlers are small and record their
// requests, to test the path from the socket to the core and back.

import { randomBytes } from 'node:crypto'
import { tmpdir } from 'node:os'
import { createGateway, type GatewayOptions } from '../../../gateway/gateway.ts'
import type { StaticFiles } from '../../../gateway/pages.ts'
import { SourceType } from '../../../gen/lectern/v1/source_pb.js'
import { RunStatus } from '../../../gen/lectern/v1/sync_pb.js'
import { callerOf, toContext } from '../../../services/context.ts'
import { DomainError } from '../../../services/errors.ts'
import { createCallerSigner, createCallerVerifier } from '../../../services/guard/identify.ts'
import { createNetworkKey } from '../../../services/limit/network-key.ts'
import type { Implementation } from '../../../services/routes.ts'
import { meaningTrailer } from '../../../services/search/meaning.ts'
import { type Core, type CoreDeps, createCore } from '../../../services/server/core.ts'
import { createInMemoryTransport } from '../../../services/server/in-memory-transport.ts'
import type { Project } from '../../../services/store/project.ts'

const secret = randomBytes(32).toString('base64')
const now = () => new Date()

/** Hashes networks like the core of the test. */
export const networkKey = createNetworkKey(secret)

const adminKey = `admin-${randomBytes(16).toString('hex')}`

const projects = [
  project('open', false),
  project('closed', true),
  { ...project('fenced', false), allowedDomains: ['docs.example.com'] },
]

const twoProjects: CoreDeps['store'] = {
  projects: {
    bySlug: async (slug: string) => projects.find((one) => one.slug === slug) ?? null,
    byUuid: async () => null,
  } as never,
  keys: { byHash: async () => null, touch: async () => {} } as never,
  members: { get: async () => null } as never,
  teams: { first: async () => ({ uuid: 'red' }), get: async () => null } as never,
}

export interface TestGateway {
  url: string
  port: number
  /** The address of the core. */
  core: Core
  /** Header value of the admin key. */
  authorization: string
  /** Requests that the handlers received, oldest first. */
  // biome-ignore lint/suspicious/noExplicitAny: messages of any type, inspected by the test
  asked: any[]
  /** Logged errors. */
  logged: unknown[]
  /** Logged warnings. */
  warned: string[]
  /** Sends a request with the admin key; `body` is sent as JSON. */
  ask(method: string, path: string, body?: unknown, headers?: Record<string, string>): Promise<Response>
  close(): Promise<void>
}

/** `services`: custom handlers, and the store that authorizes callers. */
export async function openTestGateway(
  options: Partial<GatewayOptions> = {},
  services: { store?: CoreDeps['store']; implementation?: Implementation } = {},
): Promise<TestGateway> {
  const asked: unknown[] = []
  const logged: unknown[] = []
  const warned: string[] = []
  const log = {
    error: (what: { err: unknown }) => logged.push(what.err),
    warn: (sentence: string) => warned.push(sentence),
  }
  const core = createCore(
    {
      store: services.store ?? twoProjects,
      adminKey,
      readOrigin: createCallerVerifier(secret, now),
      now,
      log,
    },
    services.implementation ?? recording(asked),
  )
  const noFiles: StaticFiles = { answer: () => ({ status: 404, headers: {}, body: '' }) }
  const gateway = createGateway({
    transport: createInMemoryTransport(core),
    address: { host: '127.0.0.1', port: 0 },
    publicUrl: null,
    dataFolder: tmpdir(),
    trustProxy: [],
    networkKey,
    attestOrigin: options.transport ? createCallerSigner(secret, now) : toContext,
    readiness: async () => [],
    pages: { web: noFiles, manual: async () => noFiles, reference: async () => noFiles },
    log,
    ...options,
  })
  const port = await gateway.listen()
  const url = `http://127.0.0.1:${port}`

  const authorization = `Api-Key ${adminKey}`

  return {
    url,
    port,
    core,
    authorization,
    asked,
    logged,
    warned,
    ask(method, path, body, headers = {}) {
      return fetch(url + path, {
        method,
        redirect: 'manual',
        headers: {
          authorization,
          ...(body !== undefined && { 'content-type': 'application/json' }),
          ...headers,
        },
        ...(body !== undefined && { body: typeof body === 'string' ? body : JSON.stringify(body) }),
      })
    },
    close: () => gateway.close(),
  }
}

const time = { seconds: 1_767_225_600n, nanos: 5_000_000 }
const run = { uuid: 'run', status: RunStatus.QUEUED, createdAt: time }

function recording(asked: unknown[]): Implementation {
  const note = <Request, Answer>(answer: Answer) => {
    return (request: Request): Answer => {
      asked.push(request)
      return answer
    }
  }
  const theProject = { slug: 'open', name: 'Open', createdAt: time, config: {} }
  const theSource = {
    uuid: 's',
    name: 'Docs',
    type: SourceType.SITE,
    url: 'https://d.example/',
    createdAt: time,
  }
  return {
    projects: {
      createProject: note({ project: theProject }),
      getProject: note({ project: theProject }),
      listProjects: note({ count: 45, results: [theProject] }),
      updateProject: note({ project: theProject }),
      deleteProject: note({}),
    },
    sources: {
      createSource: note({ source: theSource }),
      getSource: note({ source: theSource }),
      listSources: note({ count: 3, results: [theSource] }),
      updateSource: note({ source: theSource }),
      deleteSource: note({}),
    },
    sync: {
      startSync: note({ run }),
      cancelSync: note({ run }),
      getSync: note({ run: { ...run, pages: { discovered: 3, added: 3 } } }),
      getLatestSync: () => {
        throw new DomainError('never_synced', 'The project was never synced.')
      },
      listSyncs: note({ count: 1, results: [run] }),
      listSyncEvents: note({ count: 0, results: [] }),
    },
    recrawl: {
      startRecrawl: note({ uuid: 'r', url: 'https://d.example/a', status: 1 }),
      getRecrawl: note({ recrawl: { uuid: 'r', url: 'https://d.example/a', status: 2, createdAt: time } }),
    },
    search: {
      search: (request, context) => {
        asked.push(request)
        if (request.q === 'boom') throw new Error('secret path /var/lib/lectern')
        if (request.q === 'away') throw new DomainError('unavailable', 'The index does not answer.')
        if (request.q === 'much') throw new DomainError('rate_limited', 'Too many searches.')
        if (request.q === 'why') context.responseTrailer.set(meaningTrailer, 'late')
        const { address, surface, origin, signed } = callerOf(context)
        const fragment = JSON.stringify({ address, surface, origin, signed })
        return { results: [{ title: request.q, fragment, score: 0.5, sourceType: SourceType.SITE }] }
      },
      reportClick: note({}),
    },
    documents: { getDocument: note({ document: { documentId: 'd', title: 'D', chunks: [] } }) },
    keys: {
      createKey: note({ key: { uuid: 'k', name: 'K', permissions: ['search'], key: 'lec_1' } }),
      listKeys: note({ count: 0, results: [] }),
      deleteKey: note({}),
    },
  }
}

function project(slug: string, isPrivate: boolean): Project {
  return { slug, isPrivate, team: 'red', uuid: `uuid of ${slug}`, allowedDomains: [] as string[] } as Project
}
