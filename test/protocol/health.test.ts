// grpc.health.v1 as a load balancer uses it: a check, and a watch.
import { Code, createClient } from '@connectrpc/connect'
import { createGrpcTransport } from '@connectrpc/connect-node'
import { afterAll, expect, it } from 'vitest'
import { Health, HealthCheckResponse_ServingStatus as Status } from '../../gen/grpc/health/v1/health_pb.js'
import { backends, openTestServer } from './core.ts'

const server = await openTestServer()
afterAll(() => server.close())

const health = () => createClient(Health, createGrpcTransport({ baseUrl: server.url }))

it('needs no key, and reports the server, its services and its backends', async () => {
  for (const service of ['', 'lectern.v1.SyncService', 'store', 'index']) {
    expect((await health().check({ service })).status).toBe(Status.SERVING)
  }
  await expect(health().check({ service: 'constructor' })).rejects.toMatchObject({ code: Code.NotFound })
  const { statuses } = await health().list({})
  expect(Object.keys(statuses)).toEqual(
    expect.arrayContaining(['', 'store', 'index', 'lectern.v1.ChatService']),
  )
})

it('notifies a watcher of every change', async () => {
  const stop = new AbortController()
  const seen: Status[] = []
  try {
    for await (const { status } of health().watch({ service: '' }, { signal: stop.signal })) {
      seen.push(status)
      backends.indexAnswers = !backends.indexAnswers
      if (seen.length === 3) break
    }
  } finally {
    backends.indexAnswers = true
    stop.abort()
  }
  expect(seen).toEqual([Status.SERVING, Status.NOT_SERVING, Status.SERVING])
})

it('limits watchers to 100, and accepts another when one has disconnected', async () => {
  const first = new AbortController()
  const others = new AbortController()
  const watch = async (signal: AbortSignal) => {
    const watching = health().watch({ service: '' }, { signal })[Symbol.asyncIterator]()
    await watching.next()
    return watching
  }
  const one = await watch(first.signal)
  await Promise.all(Array.from({ length: 99 }, () => watch(others.signal)))
  await expect(watch(others.signal)).rejects.toMatchObject({ code: Code.ResourceExhausted })
  first.abort()
  await one.next().catch(() => {})
  await expect
    .poll(() =>
      watch(others.signal).then(
        () => 'watches',
        () => 'refused',
      ),
    )
    .toBe('watches')
  others.abort()
})

it('reports an unknown service to a watcher', async () => {
  for await (const { status } of health().watch({ service: 'nonsense' })) {
    expect(status).toBe(Status.SERVICE_UNKNOWN)
    break
  }
})
