// The status of an installation through REST.
import { once } from 'node:events'
import { afterAll, expect, onTestFinished, test } from 'vitest'
import { createLog, createLogTail } from '../../app/process.ts'
import { toContext } from '../../services/context.ts'
import { createKeyService } from '../../services/key/key-service.ts'
import { createMessageLimits } from '../../services/limit/message-limits.ts'
import { createInMemoryTransport } from '../../services/server/in-memory-transport.ts'
import { createStatusService } from '../../services/status/status-service.ts'
import { event, project, run, source } from '../contract/store-case.ts'
import { openTestGateway } from './gateway/lectern-gateway.ts'
import { openRestLab, type RestLab } from './rest-lab.ts'

const embedding = { total: 9, done: 4, model: 'local:tiny', refused: 0 }

const lab = await openRestLab(async (deps) => {
  const { store, team } = deps
  for (const name of ['a', 'b']) {
    const row = project(name, { team, slug: name, name })
    if (name === 'b') row.config.sync.schedule = '0 3 * * *'
    await store.projects.insert(row)
  }
  await store.sources.insert(source('s1', { team, project: 'b' }))
  await store.sources.failed('s1', 'It does not answer.')
  await store.runs.begin(run('r1', { project: 'b' }))
  await store.runs.append('r1', [
    event('e1', { type: 'run_started' }),
    event('e2', { type: 'removals_held', level: 'warning', message: '3 of 4 pages are kept.' }),
  ])
  await store.limits.block('network:abc', Date.now() + 3_600_000)
  for (const key of ['network:abc', 'network:def', 'network:abc', 'chat:c1'])
    await store.limits.hit(key, 3_600_000, Date.now())
  return {
    keys: createKeyService(deps as never),
    status: createStatusService({
      ...{ store, model: 'extractive', embeddingModel: 'local:tiny' },
      embedding: {
        async progress(uuid) {
          if (uuid !== 'b') throw new Error('away')
          return embedding
        },
      },
      log: createLogTail('core', []),
      async *createBackup() {
        yield Buffer.from('{"archive":2}\n')
        throw new Error('the disk is full')
      },
      ...{ now: () => new Date(), turns: { load: () => ({ live: 2, max: 200 }) } },
      limits: createMessageLimits({
        ...{ limits: store.limits, now: () => new Date(), networkKey: (address) => address },
        report: () => {},
      }),
      drivers: { store: 'sqlite', index: 'segments', runs: 'local' },
      away: async () => ['index'],
    }),
  }
})
afterAll(() => lab.close())

const ask: RestLab['ask'] = (...request) => lab.ask(...request)

test('the status has drivers, models and the state of each project', async () => {
  const { status, body } = await ask('GET', 'status/')
  expect([status, body]).toEqual([
    200,
    {
      version: expect.stringMatching(/^\d+\.\d+\.\d+$/),
      drivers: [
        { port: 'store', driver: 'sqlite', available: true },
        { port: 'index', driver: 'segments', available: false },
        { port: 'runs', driver: 'local', available: true },
      ],
      model: 'extractive',
      embedding_model: 'local:tiny',
      project_count: 2,
      projects: [
        {
          ...{ slug: 'a', name: 'a', page_count: 0, last_sync: null, failed_sources: [] },
          ...{ schedule: null, next_sync_at: null, embedding: null, removals_held: null },
        },
        {
          ...{ slug: 'b', name: 'b', page_count: 0, schedule: '0 3 * * *', embedding },
          last_sync: expect.objectContaining({ uuid: 'r1', status: 'queued', embedding }),
          failed_sources: [{ uuid: 's1', name: 'Docs', last_error: 'It does not answer.' }],
          next_sync_at: expect.stringMatching(/T03:00:00\.000Z$/),
          removals_held: '3 of 4 pages are kept.',
        },
      ],
    },
  ])
})

test('offset skips projects, and a scoped key sees only its own', async () => {
  const { projects } = (await ask('GET', 'status/')).body
  expect((await ask('GET', 'status/?offset=1')).body).toMatchObject({
    project_count: 2,
    projects: projects.slice(1),
  })
  const scopedKey = { name: 'K', permissions: ['projects_read'], projects: ['b'] }
  const { key } = (await ask('POST', 'keys/', scopedKey)).body
  expect((await ask('GET', 'status/', undefined, key)).body).toMatchObject({
    project_count: 1,
    projects: [{ slug: 'b' }],
  })
})

test('the system reports its load and the blocked networks', async () => {
  const { status, body } = await ask('GET', 'system/')
  expect([status, body]).toEqual([
    200,
    {
      started_at: expect.any(String),
      memory_bytes: expect.any(Number),
      ...{ live_turns: 2, max_turns: 200, running_syncs: 0, queued_syncs: 1, live_recrawls: 0 },
      blocked: [{ network: 'abc', until: expect.stringMatching(/Z$/) }],
      networks: [
        { network: 'abc', messages: 2, max_messages: 100, until: expect.stringMatching(/Z$/) },
        { network: 'def', messages: 1, max_messages: 100, until: expect.stringMatching(/Z$/) },
      ],
      gateways: expect.any(Array),
    },
  ])
  expect(Date.parse(body.started_at)).toBeLessThan(Date.now())
  expect(body.memory_bytes).toBeGreaterThan(1e7)
})

test('two gateways report their sockets, rejections and warnings to their common core', async () => {
  const logTail = createLogTail('gateway', ['hunter-2-hunter-2'])
  const log = createLog('info', { write: () => {} }, logTail)
  log.warn({ route: '/api/v2/status/' }, 'the password is hunter-2-hunter-2')
  const other = await openTestGateway({
    ...{
      transport: createInMemoryTransport(lab.gateway.core),
      attestOrigin: toContext,
      logTail,
      maxSockets: 7,
    },
  })
  onTestFinished(other.close)
  const socket = new WebSocket(`${other.url.replace('http', 'ws')}/ws/messages/b/`)
  await once(socket, 'open')
  const loads = { open_sockets: 1, max_sockets: 7, rate_limited: 0, uuid: expect.any(String) }
  const isThere = { started_at: expect.any(String), memory_bytes: expect.any(Number) }
  await expect
    .poll(async () => (await ask('GET', 'system/')).body.gateways)
    .toEqual([expect.objectContaining({ open_sockets: 0, max_sockets: 20_000 }), { ...loads, ...isThere }])
  socket.close()
  expect((await ask('GET', 'system/log/')).body).toEqual({
    lines: [
      {
        ...{ at: expect.stringMatching(/Z$/), level: 'warn', process: 'gateway' },
        text: 'the password is [hidden]  route=/api/v2/status/',
      },
    ],
  })
})

test('a backup that fails midway breaks the transfer, so that it cannot look complete', async () => {
  const { url, authorization } = lab.gateway
  const backup = fetch(`${url}/api/v2/system/backup/`, { headers: { authorization } })
  await expect(backup.then((response) => response.text())).rejects.toThrow(/fetch failed|terminated/)
})
