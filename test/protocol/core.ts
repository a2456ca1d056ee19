// A core with small handlers, for what a real one (real-core.ts) does not do on purpose or does not show: that throw what nobody
// foresaw, hang, tell who they were called by, or stand on a backend that is away.
import { randomBytes } from 'node:crypto'
import { callerOf, projectOf } from '../../services/context.ts'
import { DomainError } from '../../services/errors.ts'
import { createCallerReader, createCallerSigner } from '../../services/interceptors/caller-signature.ts'
import { createKey, hashKey } from '../../services/key/key-format.ts'
import type { Implementation } from '../../services/routes.ts'
import { createCore } from '../../services/server/core.ts'
import { type CoreServerOptions, openCoreServer } from '../../services/server/core-server.ts'
import { createInMemoryTransport } from '../../services/server/in-memory-transport.ts'
import type { Key } from '../../services/store/key.ts'
import type { Project } from '../../services/store/project.ts'

const secret = randomBytes(32).toString('base64')
const now = () => new Date('2026-11-21T12:00:00.000Z')

export const adminKey = `admin-${randomBytes(16).toString('hex')}`
export const signCaller = createCallerSigner(secret, now)

/** Teams red and blue; red has a public and a private project, blue a private one. */
export const projects = {
  public: project('red-public', 'red', false, '11111111-1111-4111-8111-111111111111'),
  private: project('red-private', 'red', true, '22222222-2222-4222-8222-222222222222'),
  foreign: project('blue-private', 'blue', true, '33333333-3333-4333-8333-333333333333'),
}

const rows = new Map<string, Key>()

/** Makes a key of a team; answers its text. */
export function addKey(given: Partial<Key>): string {
  const text = createKey(randomBytes)
  const row = {
    uuid: text,
    team: 'red',
    name: 'test',
    permissions: [],
    projects: null,
    memberUuid: null,
    createdAt: '2026-01-01T00:00:00.000Z',
    expiresAt: null,
    lastUsedAt: null,
    ...given,
  }
  rows.set(hashKey(text), { ...row, hash: hashKey(text) })
  return text
}

/** Errors that were logged, newest last. */
export const logged: unknown[] = []
/** Turned to false, the backend `index` does not answer. */
export const backends = { indexAnswers: true }
/** Aborted streams, by what they were told. */
export const stopped: unknown[] = []

const implementation: Implementation = {
  search: {
    search: (request, context) => {
      if (request.q === 'boom') throw new Error('secret path /var/lib/lectern')
      if (request.q === 'away') throw new DomainError('unavailable', 'The index does not answer.')
      const caller = callerOf(context)
      const seen = `${projectOf(context).slug} ${caller.surface} ${caller.address} ${caller.key ? 'key' : 'no key'}`
      return { results: [{ title: request.q, fragment: seen, score: 0.5 }] }
    },
  },
  sync: {
    async *watchSync(request, { signal }) {
      if (request.syncUuid === 'boom') {
        yield { run: { uuid: 'before' } }
        throw new Error('while iterating')
      }
      for (let fetched = 1; fetched <= 3; fetched += 1) yield { run: { uuid: 'run', pages: { fetched } } }
      if (request.syncUuid !== 'forever') return
      await new Promise((resolve) => signal.addEventListener('abort', resolve))
      stopped.push(signal.reason)
      throw new Error('whatever a handler throws when it is told to stop')
    },
  },
  projects: { updateProject: (request) => ({ project: { slug: request.slug } }) },
  sources: {
    createSource: () => ({}),
    async uploadFiles(requests) {
      const names: string[] = []
      for await (const request of requests) names.push(request.fileName)
      return { results: names.map((name) => ({ name })) }
    },
  },
  keys: { createKey: () => ({}), listKeys: () => ({ count: 0 }) },
  team: { acceptInvitation: () => ({ key: 'k' }), createTeam: () => ({ name: 'n' }) },
  chat: { getChat: () => ({}), submitFeedback: () => ({}), listChats: () => ({ count: 0 }) },
  mcp: { recordToolCall: () => ({}) },
}

export const core = createCore(
  {
    store: {
      projects: {
        bySlug: async (slug: string) => Object.values(projects).find((one) => one.slug === slug) ?? null,
        byUuid: async (uuid: string) => Object.values(projects).find((one) => one.uuid === uuid) ?? null,
      } as never,
      keys: { byHash: async (hash: string) => rows.get(hash) ?? null, touch: async () => {} } as never,
      teams: {
        first: async () => ({ uuid: 'red' }),
        get: async (uuid: string) => (['red', 'blue'].includes(uuid) ? { uuid } : null),
      } as never,
    },
    adminKey,
    readOrigin: createCallerReader(secret, now),
    now,
    log: { error: (what) => logged.push(what.err) },
  },
  implementation,
)

export const inMemory = createInMemoryTransport(core)

export async function openTestServer(limits: CoreServerOptions['limits'] = {}) {
  const server = await openCoreServer(core, {
    limits,
    address: { host: '127.0.0.1', port: 0 },
    backends: {
      store: async () => {},
      index: async () => {
        if (!backends.indexAnswers) throw new Error('away')
      },
    },
  })
  return { ...server, authority: `127.0.0.1:${server.port}`, url: `http://127.0.0.1:${server.port}` }
}

function project(slug: string, team: string, isPrivate: boolean, uuid: string): Project {
  return { slug, team, isPrivate, uuid, allowedDomains: [] as string[] } as Project
}
