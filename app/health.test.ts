// Unavailable servers and refused access: retried, and logged in one line with variable and address, without the password.
import { join } from 'node:path'
import { Code, ConnectError, createClient } from '@connectrpc/connect'
import { pino } from 'pino'
import { expect, test, vi } from 'vitest'
import { ProjectService } from '../gen/lectern/v1/project_pb.js'
import { AccessRefused, backendAway } from '../services/errors.ts'
import { createInMemoryTransport } from '../services/server/in-memory-transport.ts'
import { createStartingCore } from './core.ts'
import { createAvailability, createProcessMetrics, type Server } from './health.ts'

const server: Server = {
  backend: 'store',
  name: 'MongoDB',
  settings: [['LECTERN_MONGODB_URL', 'mongodb://lectern:hunter2@db:27017/lectern?authSource=admin']],
}
const away = () => backendAway('store', new Error('connect ECONNREFUSED mongodb://u:hunter2@db'))

function openLab() {
  const lines: { level: string; text: string }[] = []
  const note = (level: string) => (text: string) => void lines.push({ level, text })
  const stopping = new AbortController()
  const log = { info: note('info'), warn: note('warn') } as never
  return { lines, stopping, availability: createAvailability(log, stopping.signal) }
}

/** Fails with each of the errors, then succeeds. */
function failing(errors: unknown[]) {
  const left = [...errors]
  return async () => {
    if (left.length > 0) throw left.shift()
    return 'open'
  }
}

test('retries an unavailable server, and logs a line with its name and another when it is back', async () => {
  const { lines, availability } = openLab()
  expect(await availability.retryUntilAvailable(server, failing([away(), away()]))).toBe('open')
  expect(lines).toEqual([
    {
      level: 'warn',
      text: expect.stringMatching(
        /^MongoDB is unavailable: LECTERN_MONGODB_URL is mongodb:\/\/…@db:27017\/lectern\. .*ECONNREFUSED/,
      ),
    },
    { level: 'info', text: expect.stringMatching(/^MongoDB is available again after \d+ s$/) },
  ])
  expect(JSON.stringify(lines)).not.toContain('hunter2')
})

test('reports that a core is starting until it has opened, and blames no server', async () => {
  const transport = createInMemoryTransport(createStartingCore(pino({ enabled: false })))
  const error = await createClient(ProjectService, transport).listProjects({}).catch(ConnectError.from)
  expect(error).toMatchObject({
    code: Code.Unavailable,
    rawMessage: 'Lectern is starting. Try again soon.',
  })
  expect((error as ConnectError).metadata.get('retry-after')).toBe('5')
})

test('logs every setting with an address of the server', async () => {
  const { lines, availability } = openLab()
  const weaviate: Server = {
    backend: 'index',
    name: 'Weaviate',
    settings: [
      ['LECTERN_WEAVIATE_URL', 'http://weaviate:8080'],
      ['LECTERN_WEAVIATE_GRPC', 'weaviate:50051'],
    ],
  }
  await availability.retryUntilAvailable(weaviate, failing([backendAway('index', new Error('UNAVAILABLE'))]))
  expect(lines[0]!.text).toBe(
    'Weaviate is unavailable: LECTERN_WEAVIATE_URL is http://weaviate:8080, LECTERN_WEAVIATE_GRPC is weaviate:50051. Lectern retries until it responds. (UNAVAILABLE)',
  )
})

test.each([
  ['by itself', new AccessRefused(new Error('hunter2'))],
  ['as the cause of unavailability', backendAway('store', new AccessRefused())],
])('logs a refused access %s separately, and retries it, too', async (_, refusal) => {
  const { lines, availability } = openLab()
  expect(await availability.retryUntilAvailable(server, failing([refusal]))).toBe('open')
  expect(lines[0]).toEqual({
    level: 'warn',
    text: 'LECTERN_MONGODB_URL: MongoDB at mongodb://…@db:27017/lectern refuses the user, password or key that is set.',
  })
})

test('stops the start at once with any other error', async () => {
  const { lines, availability } = openLab()
  await expect(availability.retryUntilAvailable(server, failing([new Error('a bug')]))).rejects.toThrow(
    'a bug',
  )
  expect(lines).toEqual([])
})

test('does not retry without a server', async () => {
  const { availability } = openLab()
  await expect(availability.retryUntilAvailable(null, failing([away()]))).rejects.toMatchObject({
    reason: 'unavailable',
  })
})

test('repeats the line every minute, not with every attempt', async () => {
  vi.useFakeTimers({ toFake: ['Date'] })
  try {
    const { lines, availability } = openLab()
    let attempts = 0
    await availability.retryUntilAvailable(server, async () => {
      attempts += 1
      if (attempts === 3) vi.advanceTimersByTime(60_000)
      if (attempts < 4) throw away()
    })
    expect(lines.map(({ level }) => level)).toEqual(['warn', 'warn', 'info'])
    expect(lines[2]!.text).toBe('MongoDB is available again after 60 s')
  } finally {
    vi.useRealTimers()
  }
})

test('logs when an opened server becomes unavailable', async () => {
  const { lines, stopping, availability } = openLab()
  vi.useFakeTimers({ toFake: ['Date'] })
  const checked = Promise.withResolvers<void>()
  availability.watch(server, async () => {
    checked.resolve()
    throw away()
  })
  await checked.promise
  await expect.poll(() => lines.length).toBe(1)
  stopping.abort()
  vi.useRealTimers()
  expect(lines[0]!.text).toContain('MongoDB is unavailable')
})

test('stops retrying when the process stops', async () => {
  const { stopping, availability } = openLab()
  let attempts = 0
  availability.retryUntilAvailable(server, async () => {
    attempts += 1
    stopping.abort()
    throw away()
  })
  // A lab that is not stopping retries meanwhile.
  await openLab().availability.retryUntilAvailable(server, failing([away(), away()]))
  expect(attempts).toBe(1)
})

test('omits a gauge that cannot be read', async () => {
  const metrics = createProcessMetrics(join(import.meta.dirname, 'no-such-folder'))
  metrics.readFrom({
    liveRuns: () => Promise.reject(new Error()),
    indexTotals: () => Promise.reject(new Error()),
  })
  const lines = (await metrics.registry.metrics()).split('\n')
  expect(lines).toContain('# TYPE lectern_data_free_bytes gauge')
  const gauges = /^lectern_(?:data|index|embedding|sync_live)_/
  expect(lines.filter((line) => gauges.test(line))).toEqual([])
})
