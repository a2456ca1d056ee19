// A gateway in a process of its own: it starts without its core, reports that, stores nothing, and works when the core
// starts.
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { createCallerVerifier } from '../../services/guard/identify.ts'
import { createCore } from '../../services/server/core.ts'
import { type CoreServer, openCoreServer } from '../../services/server/core-server.ts'
import { freePorts } from '../servers/server-process.ts'
import { openChat } from './gateway/chat-client.ts'
import { adminKey, type LecternProcess, startLectern } from './lectern-process.ts'

const secret = Buffer.alloc(32, 5).toString('base64')
let gateway: LecternProcess
let core: CoreServer
afterAll(async () => {
  await gateway?.remove()
  await core?.close(0)
})

test('a gateway waits for its core, stores nothing, and needs no restart when the core starts', async () => {
  const [port] = (await freePorts(1)) as [number]
  gateway = await startLectern({
    data: '/proc/nothing-can-be-made-here',
    env: { LECTERN_ROLE: 'gateway', LECTERN_CORE_URL: `http://127.0.0.1:${port}`, LECTERN_SECRET: secret },
  })
  expect(await gateway.call('GET', '/healthz')).toMatchObject({ status: 200 })
  expect(await gateway.call('GET', '/readyz')).toEqual({
    status: 503,
    body: { status: 'not ready', away: ['core'] },
  })
  expect(await gateway.call('GET', '/api/v2/projects/open/')).toMatchObject({
    status: 503,
    body: { code: 'unavailable' },
  })
  const socket = await openChat(`${gateway.baseUrl.replace('http', 'ws')}/ws/messages/open/`)
  expect(await socket.ask({ message: 'Is anybody there?' })).toMatchObject({ stopReason: 'error' })
  socket.close()

  core = await openCoreServer(createNamingCore(), {
    address: { host: '127.0.0.1', port },
    backends: { store: async () => {}, index: () => Promise.reject(new Error('away')) },
  })
  await expect
    .poll(() => gateway.call('GET', '/api/v2/projects/open/'))
    .toMatchObject({ status: 200, body: { name: 'Open' } })
  // The core's report on its backends.
  expect((await gateway.call('GET', '/readyz')).body).toEqual({ status: 'not ready', away: ['index'] })
  expect(existsSync(join('/proc', 'nothing-can-be-made-here'))).toBe(false)
})

/** Serves a project behind the interceptors of a real core. */
function createNamingCore() {
  const now = () => new Date()
  const project = { slug: 'open', uuid: 'p', team: 't', isPrivate: false }
  const store = {
    projects: { bySlug: async () => project, byUuid: async () => project },
    teams: { first: async () => ({ uuid: 't' }), get: async () => null },
    keys: { byHash: async () => null, touch: async () => {} },
  } as never
  const log = { error: (what: unknown) => expect.fail(String(what)) }
  return createCore(
    { store, log, now, adminKey, readOrigin: createCallerVerifier(secret, now) },
    { projects: { getProject: () => ({ project: { slug: 'open', name: 'Open' } }) } },
  )
}
