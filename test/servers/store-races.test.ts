// Two handles on one MongoDB database, as two processes have them: what both want at once, one gets, and nothing is lost.
import { MongoClient } from 'mongodb'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { Conflict } from '../../services/errors.ts'
import type { Store } from '../../services/store/store.ts'
import { at, project, whole } from '../contract/store-case.ts'
import { answer, chat, question, trace } from '../contract/store-chat-case.ts'
import { isMissing, openMongodbBackend } from './backend.ts'
import { databaseOf } from './mongodb-database.ts'
import { openTestStore } from './mongodb-store.ts'

describe.skipIf(isMissing('ferretdb'))('two handles on MongoDB', () => {
  let server: Awaited<ReturnType<typeof openMongodbBackend>>
  let cases = 0
  let url: string
  let one: Store
  let two: Store
  beforeAll(async () => {
    server = await openMongodbBackend()
  })
  afterAll(() => server.remove())
  beforeEach(async () => {
    url = databaseOf(server.url, `races_${process.pid}_${cases++}`)
    ;[one, two] = await Promise.all([openTestStore(url), openTestStore(url)])
    await one.projects.insert(project())
  })
  afterEach(async () => {
    await Promise.all([one.close(), two.close()])
  })

  /** What each handle makes of the same wish, at once. */
  const both = <Answer>(wish: (store: Store, name: 'one' | 'two') => Promise<Answer>) =>
    Promise.allSettled([wish(one, 'one'), wish(two, 'two')])

  const numbers = (count: number) => Array.from({ length: count }, (_, n) => n)

  test('a limit counts every message once, whichever process it came to', async () => {
    const hits = []
    for (const _ of numbers(20))
      hits.push(
        ...(await Promise.all(
          numbers(20).map((n) => (n % 2 ? one : two).limits.hit('address', 60_000, 1_000)),
        )),
      )
    expect(hits.map(({ count }) => count).sort((a, b) => a - b)).toEqual(numbers(400).map((n) => n + 1))
    expect(new Set(hits.map(({ endsAt }) => endsAt))).toEqual(new Set([61_000]))
  })

  test('a window that is over is begun once by those who come at once', async () => {
    await one.limits.hit('address', 60, 1_000)
    const hits = await Promise.all(
      numbers(40).map((n) => (n % 2 ? one : two).limits.hit('address', 60, 2_000)),
    )
    expect(hits.map(({ count }) => count).sort((a, b) => a - b)).toEqual(numbers(40).map((n) => n + 1))
  })

  test('what is counted or blocked for the first time is so by all who come at once', async () => {
    for (const key of numbers(30).map(String)) {
      const hits = await Promise.all(
        numbers(8).map((n) => (n % 2 ? one : two).limits.hit(key, 60_000, 1_000)),
      )
      expect(hits.map(({ count }) => count).sort((a, b) => a - b)).toEqual([1, 2, 3, 4, 5, 6, 7, 8])
      await Promise.all(numbers(8).map((n) => (n % 2 ? one : two).limits.block(key, 1_000 + n)))
      expect(await one.limits.blockedUntil(key)).toBe(1_007)
    }
  })

  test('of two messages on one position, one is kept and the other is told', async () => {
    await one.chats.insert(chat())
    for (const position of numbers(12)) {
      const results = await both((store, name) =>
        store.chats.append(question(position, { uuid: `${name}-${position}` }), null, null),
      )
      const lost = results.flatMap((result) => (result.status === 'rejected' ? [result.reason] : []))
      expect(lost).toEqual([new Conflict('position')])
      const kept = await one.chats.messages('chat')
      expect(kept.length).toBe(position + 1)
      const loser = kept[position]!.uuid === `one-${position}` ? `two-${position}` : `one-${position}`
      expect(await two.chats.message(loser)).toBeNull()
    }
    expect((await two.chats.get('chat'))?.messageCount).toBe(12)
  })

  test('messages on many positions at once all count', async () => {
    await one.chats.insert(chat())
    await Promise.all(
      numbers(12).map((n) =>
        (n % 2 ? one : two).chats.append(question(n), null, { hash: `w${n}`, at: at(n), email: null }),
      ),
    )
    expect(await two.chats.get('chat')).toMatchObject({ messageCount: 12, writer: 'w11', updatedAt: at(13) })
    expect((await one.chats.messages('chat')).map(({ position }) => position)).toEqual(numbers(12))
  })

  test('the same message told twice at once counts once', async () => {
    await one.chats.insert(chat())
    for (const n of numbers(6)) {
      const told = await both((store) => store.chats.append(answer(n), trace(), null))
      expect(told.map((result) => result.status === 'fulfilled' && result.value)).toEqual([true, true])
    }
    expect((await one.chats.get('chat'))?.messageCount).toBe(6)
    expect(await two.chats.messages('chat')).toEqual(numbers(6).map((n) => answer(n)))
  })

  test('of two changes made from one revision, one counts', async () => {
    await one.chats.insert(chat())
    await one.chats.append(answer(0), trace(), null)
    for (const revision of numbers(8).map((n) => n + 2)) {
      const updates = await both((store, name) => store.projects.update(project('p1', { name, revision })))
      const rewrites = await both((store, name) =>
        store.chats.rewrite(answer(0, { content: name, revision }), trace({ model: name })),
      )
      for (const [results, written] of [
        [updates, (await one.projects.byUuid('p1'))?.name],
        [rewrites, (await one.chats.message('a0'))?.content],
      ] as const) {
        const [first, second] = results.map((result) => result.status === 'fulfilled' && result.value)
        expect([first, second].sort()).toEqual([false, true])
        expect(written).toBe(first ? 'one' : 'two')
      }
    }
  })

  test('a slug and the hash of a key go to one of two', async () => {
    for (const n of numbers(6)) {
      const made = await both((store, name) =>
        store.projects.insert(project(`${name}-${n}`, { slug: `s${n}` })),
      )
      expect(made.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected'])
      expect(made.find(({ status }) => status === 'rejected')).toMatchObject({ reason: new Conflict('slug') })
    }
    expect((await one.projects.list('t1', null, whole)).count).toBe(7)
  })

  test('of two vocabularies written at once, readers see one of them whole', {
    timeout: 120_000,
  }, async () => {
    const terms = { one: new Uint8Array(8_100_000).fill(1), two: new Uint8Array(8_200_000).fill(2) }
    const written = await both((store, name) => store.vocabulary.write('p1', terms[name]))
    const versions = written.map((result) => (result.status === 'fulfilled' ? result.value : 0))
    const latest = Math.max(...versions)
    expect(new Set(versions).size).toBe(2)
    const read = await one.vocabulary.read('p1')
    expect(read?.version).toBe(latest)
    expect(Buffer.compare(read!.terms, latest === versions[0] ? terms.one : terms.two)).toBe(0)
  })

  test('what is said in a chat while it is erased is erased with it', async () => {
    for (const n of numbers(8)) await one.chats.insert(chat(`c${n}`))
    const said = numbers(8).map((n) => one.chats.append(question(n, { chat: `c${n}` }), null, null))
    expect(await two.chats.deleteByEmail('p1', 'ann@docs.test')).toBe(8)
    await Promise.all(said)
    expect(await one.chats.list('p1', whole)).toEqual({ count: 0, rows: [] })
    await one.close()
    one = await openTestStore(url)
    const client = await new MongoClient(url).connect()
    await expect.poll(() => client.db().collection('chat_messages').countDocuments()).toBe(0)
    const left = await client.db().collection('chats').find().toArray()
    await client.close()
    expect(
      left
        .flatMap((row) => Object.keys(row))
        .filter((key) => !['_id', 'project', 'state', 'goneAt'].includes(key)),
    ).toEqual([])
  })
})
