// The status of an installation through REST.
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createKeyService } from '../../services/key/key-service.ts'
import { createMessageLimits } from '../../services/limit/message-limits.ts'
import { createStatusService } from '../../services/status/status-service.ts'
import { event, project, run, source } from '../contract/store-case.ts'
import { openRestLab, type RestLab } from './rest-lab.ts'

let lab: RestLab
const embedding = { total: 9, done: 4, model: 'local:tiny', refused: 0 }

beforeAll(async () => {
  lab = await openRestLab(async (deps) => {
    const { store, team } = deps
    for (const name of ['a', 'b']) {
      const row = project(name, { team, slug: name, name })
      if (name === 'b') row.config.sync.schedule = '0 3 * * *'
      await store.projects.insert(row)
    }
    await store.sources.insert(source('s1', { team, project: 'b' }))
    await store.sources.failed('s1', 'It does not answer.')
    await store.runs.begin(run('r1', { team, project: 'b' }))
    await store.runs.append('r1', [
      event('e1', { type: 'run_started' }),
      event('e2', { type: 'removals_held', level: 'warning', message: '3 of 4 pages are kept.' }),
    ])
    await store.limits.block('network:abc', Date.now() + 60_000)
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
        ...{ now: () => new Date(), turns: { load: () => ({ live: 2, max: 200 }) } },
        limits: createMessageLimits({
          ...{ limits: store.limits, now: () => new Date(), networkKey: (address) => address },
          report: () => {},
        }),
        drivers: { store: 'sqlite', index: 'segments', runs: 'local' },
        pings: {
          store: store.ping,
          index: () => Promise.reject(new Error('away')),
          runs: async () => {},
        },
      }),
    }
  })
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
  const wanted = { name: 'K', permissions: ['projects_read'], projects: ['b'] }
  const { key } = (await ask('POST', 'keys/', wanted)).body
  expect((await ask('GET', 'status/', undefined, key)).body).toMatchObject({
    project_count: 1,
    projects: [{ slug: 'b' }],
  })
})

test('the system tells its load, and which networks are blocked', async () => {
  const { status, body } = await ask('GET', 'system/')
  expect([status, body]).toEqual([
    200,
    {
      started_at: expect.any(String),
      memory_bytes: expect.any(Number),
      ...{ live_turns: 2, max_turns: 200, running_syncs: 0, queued_syncs: 1, live_recrawls: 0 },
      blocked: [{ network: 'abc', until: expect.stringMatching(/Z$/) }],
    },
  ])
  expect(Date.parse(body.started_at)).toBeLessThan(Date.now())
  expect(body.memory_bytes).toBeGreaterThan(1e7)
})
