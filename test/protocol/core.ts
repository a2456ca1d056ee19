// A core with small handlers on a real store, for behavior that a complete one (real-core.ts) does not show: handlers that
// throw unexpected errors, hang, return their caller, or depend on an unavailable backend.
import { randomBytes, randomUUID } from 'node:crypto'
import { callerOf, projectOf } from '../../services/context.ts'
import { DomainError } from '../../services/errors.ts'
import { createCallerSigner, createCallerVerifier } from '../../services/guard/identify.ts'
import { createKey, hashKey } from '../../services/key/key-format.ts'
import type { Implementation } from '../../services/routes.ts'
import { createCore } from '../../services/server/core.ts'
import { type CoreServerOptions, openCoreServer } from '../../services/server/core-server.ts'
import { createInMemoryTransport } from '../../services/server/in-memory-transport.ts'
import type { Project } from '../../services/store/project.ts'
import { openSqliteStore } from '../../services/store/sqlite/sqlite-store.ts'
import type { Key } from '../../services/store/team.ts'
import { project as projectRow } from '../contract/store-case.ts'

const secret = randomBytes(32).toString('base64')
const now = () => new Date('2026-11-21T12:00:00.000Z')
const created = '2026-01-01T00:00:00.000Z'

export const adminKey = `admin-${randomBytes(16).toString('hex')}`
export const signCaller = createCallerSigner(secret, now)

/** Teams red and blue; red has a public and a private project, blue a private one. */
export const projects = {
  public: project('red-public', 'red', false, '11111111-1111-4111-8111-111111111111'),
  private: project('red-private', 'red', true, '22222222-2222-4222-8222-222222222222'),
  foreign: project('blue-private', 'blue', true, '33333333-3333-4333-8333-333333333333'),
  foreignPublic: project('blue-public', 'blue', false, '44444444-4444-4444-8444-444444444444'),
}

export const store = await openSqliteStore(':memory:')
await store.teams.insert({ uuid: 'red', name: 'Red', createdAt: created })
await store.teams.insert({ uuid: 'blue', name: 'Blue', createdAt: '2026-01-02T00:00:00.000Z' })
for (const one of Object.values(projects)) await store.projects.insert(one)

/** Creates a key of a team; returns its text. */
export async function addKey(given: Partial<Key>): Promise<string> {
  const text = createKey(randomBytes)
  await store.keys.insert({
    uuid: randomUUID(),
    team: 'red',
    name: 'test',
    permissions: [],
    projects: null,
    memberUuid: null,
    createdAt: created,
    expiresAt: null,
    lastUsedAt: null,
    signedInBy: null,
    ...given,
    hash: hashKey(text),
  })
  return text
}

/** Logged errors, newest last. */
export const logged: unknown[] = []
/** If false, the backend `index` does not answer. */
export const backends = { indexAnswers: true }
/** The reasons of aborted streams. */
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
      throw new Error('any error of an aborted handler')
    },
  },
  projects: { updateProject: (request) => ({ project: { slug: request.slug } }) },
  sources: {
    createSource: () => ({}),
    async uploadSources(requests) {
      const names: string[] = []
      for await (const { part } of requests) if (part.case === 'file') names.push(part.value.name)
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
    store,
    adminKey,
    readOrigin: createCallerVerifier(secret, now),
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
  return projectRow(uuid, {
    slug,
    team,
    isPrivate,
    allowedDomains: [],
    createdAt: created,
    updatedAt: created,
  })
}
