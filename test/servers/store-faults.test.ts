// A MongoDB server that is down, rejects the credentials, dies, hangs or has a bad connection: callers get an unavailable error,
// the store recovers with the server, and acknowledged writes exist once.
import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import type { Socket } from 'node:net'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { AccessRefused } from '../../services/errors.ts'
import { openMongoStore } from '../../services/store/mongo/mongo-store.ts'
import type { Store } from '../../services/store/store.ts'
import { at, project } from '../contract/store-case.ts'
import { chat, question } from '../contract/store-chat-case.ts'
import { serversAvailable } from './available.ts'
import { type FerretdbServer, openFerretdb } from './ferretdb.ts'
import { freePorts } from './server-process.ts'
import { openToxiproxy, type Toxiproxy } from './toxiproxy.ts'

const away = { name: 'DomainError', reason: 'unavailable', retryAfter: 5 }
const numbers = (count: number) => Array.from({ length: count }, (_, n) => n)
const say = (store: Store, n: number) =>
  store.chats.append(question(n), null, { hash: null, at: at(n), email: null })

/** Of the running test: aborted at its timeout. */
let signal: AbortSignal

/** Retries until the store answers or the test is over, like a client that receives an unavailable error. */
async function untilAnswered<Answer>(ask: () => Promise<Answer>): Promise<Answer> {
  for (;;) {
    try {
      return await ask()
    } catch (error) {
      expect(error).toMatchObject(away)
      // A closed store rejects without any wait: without a turn of the event loop the test would never end.
      await nextTurn()
      signal.throwIfAborted()
    }
  }
}

describe.skipIf(!serversAvailable)('MongoDB faults', () => {
  let server: FerretdbServer
  let toxiproxy: Toxiproxy
  let line: Awaited<ReturnType<Toxiproxy['before']>>
  let store: Store
  beforeEach(async (test) => {
    signal = test.signal
    ;[server, toxiproxy] = await Promise.all([openFerretdb(), openToxiproxy()])
    line = await toxiproxy.before(server.port)
    store = await openMongoStore(`mongodb://127.0.0.1:${line.port}/`)
    await store.projects.insert(project())
    await store.chats.insert(chat())
  })
  afterEach(async () => {
    await store.close()
    await Promise.all([toxiproxy.remove(), server.remove()])
  })

  /** Every message exists once, and is counted once. */
  const expectSaid = async (count: number) => {
    const messages = await store.chats.messages('chat')
    expect(messages).toEqual(numbers(count).map((n) => question(n)))
    expect((await store.chats.get('chat'))?.messageCount).toBe(count)
  }

  test('opening fails while no server listens, and succeeds once it does', async () => {
    await server.stop()
    await expect(openMongoStore(server.url)).rejects.toMatchObject(away)
    const [port] = await freePorts(1)
    await expect(openMongoStore(`mongodb://ann:hunter2@127.0.0.1:${port}/`)).rejects.toMatchObject(away)
    await server.start()
    const late = await openMongoStore(server.url)
    expect(await late.projects.byUuid('p1')).toEqual(project())
    await late.close()
  })

  test('wrong credentials are reported without the password', async () => {
    const error = await openMongoStore(server.url.replace('//', '//ann:hunter2@')).catch((reason) => reason)
    expect(error).toBeInstanceOf(AccessRefused)
    expect(String(error)).not.toContain('hunter2')
  })

  test('reads and writes fail while the server is stopped, and succeed afterwards', async () => {
    await say(store, 0)
    await server.stop()
    await expect(store.ping()).rejects.toMatchObject(away)
    await expect(store.projects.bySlug('slug-p1')).rejects.toMatchObject(away)
    await expect(say(store, 1)).rejects.toMatchObject(away)
    await expect(store.limits.hit('a', 60, 1_000)).rejects.toMatchObject(away)
    await expect(
      store.vectors.write('m', [{ hash: 'a', vector: Float32Array.of(1) }], at(0)),
    ).rejects.toMatchObject(away)
    await server.start()
    await untilAnswered(() => say(store, 1))
    await store.ping()
    expect(await store.projects.bySlug('slug-p1')).toEqual(project())
    await expectSaid(2)
  })

  test('operations on a hanging server fail in time, short and long ones', async () => {
    await say(store, 0)
    await server.pause()
    const answers = await Promise.allSettled([
      store.ping(),
      store.chats.get('chat'),
      say(store, 1),
      store.vectors.write('m', [{ hash: 'a', vector: Float32Array.of(1) }], at(0)),
    ])
    expect(answers).toMatchObject(answers.map(() => ({ status: 'rejected', reason: away })))
    server.resume()
    await untilAnswered(() => say(store, 1))
    await expectSaid(2)
  })

  test('finds a server again that dies without answering a heartbeat', async () => {
    const sockets: Socket[] = []
    const keep = (message: unknown) => void sockets.push((message as { socket: Socket }).socket)
    subscribe('net.client.socket', keep)
    const other = await openMongoStore(server.url)
    unsubscribe('net.client.socket', keep)
    // The driver's first connection is the one for heartbeats.
    await new Promise<void>((written) => {
      sockets[0]!.write = () => {
        written()
        return false
      }
    })
    const refused = expect(other.ping()).rejects.toMatchObject(away)
    await server.kill()
    await refused
    await server.start()
    await untilAnswered(() => other.ping())
    await other.close()
  })

  test('acknowledged writes survive when the server is killed during writes', async () => {
    const acknowledged: number[] = []
    for (const n of numbers(12)) {
      const saying = say(store, n).then(() => acknowledged.push(n))
      // It may reject before it is awaited.
      saying.catch(() => {})
      if (n === 3 || n === 8) {
        await server.kill()
        await saying.catch((error) => expect(error).toMatchObject(away))
        await server.start()
      }
      await saying.catch(() => {})
    }
    const kept = new Set(
      await untilAnswered(() => store.chats.messages('chat')).then((all) =>
        all.map(({ position }) => position),
      ),
    )
    expect(acknowledged.filter((n) => !kept.has(n))).toEqual([])
    for (const n of numbers(12)) await untilAnswered(() => say(store, n))
    await expectSaid(12)
  })

  test('each message exists once if connections are reset during writes', async () => {
    const saying = numbers(6).map(async (writer) => {
      for (const n of numbers(4)) await untilAnswered(() => say(store, writer * 4 + n))
    })
    let isDone = false
    const done = Promise.all(saying).finally(() => {
      isDone = true
    })
    // The line works for a moment, then it resets every connection.
    // Calm periods grow, so that a slow machine finishes as well.
    for (let calmTime = 700; !isDone; calmTime *= 1.5) {
      const calm = await line.add({ type: 'reset_peer', attributes: { timeout: 20 } })
      await untilEither(done, 200)
      await calm()
      await untilEither(done, calmTime)
    }
    await done
    await expectSaid(24)
  })

  test('each message exists once if replies are truncated', async () => {
    for (const n of numbers(8)) {
      const whole = await line.add({ type: 'limit_data', attributes: { bytes: 150 * n } })
      await say(store, n).catch((error) => expect(error).toMatchObject(away))
      await whole()
      await untilAnswered(() => say(store, n))
    }
    await expectSaid(8)
  })

  test('waits for a slow connection, but not for a dead one', async () => {
    const quick = await line.add({ type: 'latency', attributes: { latency: 300 } })
    expect(await store.projects.byUuid('p1')).toEqual(project())
    await quick()
    const alive = await line.add({ type: 'timeout', attributes: { timeout: 0 } })
    await expect(store.projects.byUuid('p1')).rejects.toMatchObject(away)
    await alive()
    expect(await untilAnswered(() => store.projects.byUuid('p1'))).toEqual(project())
  })
})

/** Resolves with the work or after the number of milliseconds, whichever comes first. */
function untilEither(work: Promise<unknown>, milliseconds: number): Promise<unknown> {
  return Promise.race([work, new Promise((resolve) => setTimeout(resolve, milliseconds))])
}
