// A gateway calls its cores over real sockets. It switches to the next core when one fails, and gives up on one that does
// not respond (LECTERN_CORE_URL).
import { createServer as createHttp2 } from 'node:http2'
import { connect, createServer, type Socket } from 'node:net'
import { Code, createClient } from '@connectrpc/connect'
import { afterEach, expect, test, vi } from 'vitest'
import { ProjectService } from '../gen/lectern/v1/project_pb.js'
import { SyncService } from '../gen/lectern/v1/sync_pb.js'
import { DomainError } from '../services/errors.ts'
import { createErrorInterceptor } from '../services/guard/guard.ts'
import { createRoutes, type Implementation } from '../services/routes.ts'
import type { Core } from '../services/server/core.ts'
import { openCoreServer } from '../services/server/core-server.ts'
import { freePorts } from '../test/servers/server-process.ts'
import { type CoreTransport, createCoreTransport } from './gateway.ts'

const open: { close(): unknown }[] = []
afterEach(async () => {
  vi.useRealTimers()
  for (const one of open.splice(0).reverse()) await one.close()
})

/** Advanced by the test. */
const times = { connectTimeoutMs: 60_000, pingIntervalMs: 60_000, maxUnanswered: 3, first: 0 }
const holdTime = () =>
  void vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'setInterval', 'clearInterval'] })

test('uses one core as long as it responds, then the next, and one that is back again', async () => {
  // Below the range of automatic ports: nobody uses it while no core is there.
  const [port] = await freePorts(1)
  const [one, other] = [await openNamed('one', port), await openNamed('other')]
  const ask = asker(createCoreTransport([one.url, other.url], times))
  expect([await ask(), await ask()]).toEqual(['one', 'one'])
  await one.close()
  expect([await ask(), await ask()]).toEqual(['other', 'other'])
  await openNamed('one again', port)
  await other.close()
  expect(await ask()).toBe('one again')
})

test('sends concurrent calls to the next core after one has failed', async () => {
  const [one, other] = [await openNamed('one'), await openNamed('other')]
  const ask = asker(createCoreTransport([one.url, other.url], times))
  await ask()
  await one.close()
  expect(await Promise.all(Array.from({ length: 20 }, ask))).toEqual(Array(20).fill('other'))
})

test('is unavailable without a core, and works when one starts', async () => {
  const [port] = await freePorts(1)
  const ask = asker(createCoreTransport([`http://127.0.0.1:${port}`], times))
  await expect(ask()).rejects.toMatchObject({ code: Code.Unavailable })
  await openNamed('one', port)
  expect(await ask()).toBe('one')
})

test('skips a core that accepts connections and sends nothing', async () => {
  const asked = Promise.withResolvers<void>()
  // As the system does for a process that hangs.
  const [silent, other] = [await listen(() => asked.resolve()), await openNamed('other')]
  const ask = asker(createCoreTransport([silent.url, other.url], times))
  holdTime()
  const answer = ask()
  await asked.promise
  vi.advanceTimersByTime(times.connectTimeoutMs)
  expect(await answer).toBe('other')
})

test('drops a core that hangs during calls: they are unavailable, and the next goes to another core', async () => {
  const [one, other] = [await openNamed('one'), await openNamed('other')]
  const harbor = await openHarbor(one.port)
  const transport = createCoreTransport([harbor.url, other.url], times)
  const ask = asker(transport)
  holdTime()
  expect(await ask()).toBe('one')
  const answers = createClient(SyncService, transport).watchSync({ slug: 'any' })[Symbol.asyncIterator]()
  await answers.next()
  const next = answers.next()
  harbor.freeze()
  const unary = ask()
  // It is running.
  await new Promise((resolve) => setImmediate(resolve))
  vi.advanceTimersByTime(times.pingIntervalMs * (times.maxUnanswered + 1))
  await expect(unary).rejects.toMatchObject({ code: Code.Unavailable })
  await expect(next).rejects.toMatchObject({ code: Code.Unavailable })
  expect(await ask()).toBe('other')
})

test('reports running calls as unavailable when their core is killed, also streaming ones', async () => {
  const one = await openNamed('one')
  const harbor = await openHarbor(one.port)
  const transport = createCoreTransport([harbor.url], times)
  open.push(transport)
  const unary = createClient(ProjectService, transport).getProject({ slug: 'slow' })
  const answers = createClient(SyncService, transport).watchSync({ slug: 'any' })[Symbol.asyncIterator]()
  expect((await answers.next()).done).toBe(false)
  const next = answers.next()
  harbor.cut()
  await expect(unary).rejects.toMatchObject({ code: Code.Unavailable })
  await expect(next).rejects.toMatchObject({ code: Code.Unavailable })
})

test('reports a core lost in the middle of a response as unavailable', async () => {
  const server = createHttp2()
  server.on('stream', (stream) => {
    stream.respond({ ':status': 200, 'content-type': 'application/proto' })
    // A complete field and the beginning of the next.
    stream.write(Buffer.from([0x0a, 0x00, 0x12]), () => stream.session!.destroy())
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  open.push(server)
  const { port } = server.address() as { port: number }
  const ask = asker(createCoreTransport([`http://127.0.0.1:${port}`], times))
  await expect(ask()).rejects.toMatchObject({ code: Code.Unavailable })
})

test("returns the core's own errors unchanged", async () => {
  const one = await openNamed('one')
  const transport = createCoreTransport([one.url], times)
  open.push(transport)
  const failing = createClient(ProjectService, transport).getProject({ slug: 'changed' })
  await expect(failing).rejects.toMatchObject({ code: Code.Aborted })
  const left = new AbortController()
  const leaving = createClient(ProjectService, transport).getProject(
    { slug: 'slow' },
    { signal: left.signal },
  )
  left.abort()
  await expect(leaving).rejects.toMatchObject({ code: Code.Canceled })
})

function asker(transport: CoreTransport) {
  open.push(transport)
  const projects = createClient(ProjectService, transport)
  return async () => (await projects.getProject({ slug: 'any' })).project?.name
}

async function openNamed(name: string, port = 0) {
  const implementation: Implementation = {
    projects: {
      getProject({ slug }) {
        if (slug === 'slow') return new Promise(() => {})
        if (slug === 'changed') throw new DomainError('changed_meanwhile', 'It has changed meanwhile.')
        return { project: { name } }
      },
    },
    sync: {
      async *watchSync() {
        yield {}
        await new Promise(() => {})
      },
    },
  }
  const log = { error: (what: unknown) => expect.fail(String(what)) }
  const core: Core = {
    implementation,
    routes: createRoutes(implementation),
    interceptors: [createErrorInterceptor(log)],
  }
  const server = await openCoreServer(core, { address: { host: '127.0.0.1', port }, backends: {} })
  open.push({ close: () => server.close(0) })
  return { url: `http://127.0.0.1:${server.port}`, port: server.port, close: () => server.close(0) }
}

/** A proxy in front of a core. When frozen, it passes nothing on. When cut, it closes its connections. */
async function openHarbor(port: number) {
  const pairs: Socket[] = []
  const { url } = await listen((socket) => {
    const far = connect({ port, host: '127.0.0.1' }).on('error', () => {})
    pairs.push(socket, far)
    socket.pipe(far).pipe(socket)
  })
  return {
    url,
    freeze() {
      for (const socket of pairs) socket.unpipe().pause()
    },
    cut() {
      for (const socket of pairs) socket.destroy()
    },
  }
}

async function listen(take: (socket: Socket) => void) {
  const sockets = new Set<Socket>()
  const server = createServer((socket) => {
    sockets.add(socket.on('error', () => {}))
    take(socket)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  open.push({
    close() {
      server.close()
      for (const socket of sockets) socket.destroy()
    },
  })
  return { url: `http://127.0.0.1:${(server.address() as { port: number }).port}` }
}
