// Two handles on one MongoDB database, as in two processes: of conflicting writes one wins, and nothing is lost or
// counted twice. Promises of both drivers are tested in test/contract/store-shared.suite.ts.
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import type { Store } from '../../services/store/store.ts'
import {
  at,
  event,
  listing,
  publication,
  run,
  settlement,
  url,
  whole,
  withRun,
} from '../contract/store-case.ts'
import { answer, chat, question, trace } from '../contract/store-chat-case.ts'
import { isMissing } from './backend.ts'
import { useMongodb } from './mongodb-database.ts'
import { openTestStore } from './mongodb-store.ts'

describe.skipIf(isMissing('ferretdb'))('two handles on MongoDB', () => {
  const mongodb = useMongodb()
  let address: string
  let db: ReturnType<typeof mongodb.create>['db']
  let one: Store
  let two: Store
  let fence: number
  beforeEach(async () => {
    ;({ url: address, db } = mongodb.create())
    ;[one, two] = await Promise.all([openTestStore(address), openTestStore(address)])
    fence = await withRun(one)
  })
  afterEach(() => Promise.all([one.close(), two.close()]))

  /** The results of both handles for the same concurrent operation. */
  const both = <Answer>(wish: (store: Store, name: 'one' | 'two') => Promise<Answer>) =>
    Promise.allSettled([wish(one, 'one'), wish(two, 'two')])

  const numbers = (count: number) => Array.from({ length: count }, (_, n) => n)

  test('counts concurrent messages at different positions', async () => {
    await one.chats.insert(chat())
    await Promise.all(
      numbers(12).map((n) =>
        (n % 2 ? one : two).chats.append(question(n), null, { hash: `w${n}`, at: at(n), email: null }),
      ),
    )
    expect(await two.chats.get('chat')).toMatchObject({ messageCount: 12, writer: 'w11', updatedAt: at(13) })
    expect((await one.chats.messages('chat')).map(({ position }) => position)).toEqual(numbers(12))
  })

  test('counts a message once if both append it concurrently', async () => {
    await one.chats.insert(chat())
    for (const n of numbers(6)) {
      const appended = await both((store) => store.chats.append(answer(n), trace(), null))
      expect(appended.map((result) => result.status === 'fulfilled' && result.value)).toEqual([true, true])
    }
    expect((await one.chats.get('chat'))?.messageCount).toBe(6)
    expect(await two.chats.messages('chat')).toEqual(numbers(6).map((n) => answer(n)))
  })

  test('applies one of two concurrent changes of an answer on one revision', async () => {
    await one.chats.insert(chat())
    await one.chats.append(answer(0), trace(), null)
    for (const revision of numbers(8).map((n) => n + 2)) {
      const rewrites = await both((store, name) =>
        store.chats.rewrite(answer(0, { content: name, revision }), trace({ model: name })),
      )
      const [first, second] = rewrites.map((result) => result.status === 'fulfilled' && result.value)
      expect([first, second].sort()).toEqual([false, true])
      expect((await one.chats.message('a0'))?.content).toBe(first ? 'one' : 'two')
    }
  })

  test('readers see one of two concurrently written vocabularies, complete', async () => {
    const terms = { one: new Uint8Array(8_100_000).fill(1), two: new Uint8Array(8_200_000).fill(2) }
    const written = await both((store, name) => store.vocabulary.write('p1', terms[name]))
    const versions = written.map((result) => (result.status === 'fulfilled' ? result.value : 0))
    const latest = Math.max(...versions)
    expect(new Set(versions).size).toBe(2)
    const read = await one.vocabulary.read('p1')
    expect(read?.version).toBe(latest)
    expect(Buffer.compare(read!.terms, latest === versions[0] ? terms.one : terms.two)).toBe(0)
  })

  test('erases messages that are appended while their chat is erased', async () => {
    for (const n of numbers(8)) await one.chats.insert(chat(`c${n}`))
    const said = numbers(8).map((n) => one.chats.append(question(n, { chat: `c${n}` }), null, null))
    expect(await two.chats.deleteByEmail('p1', 'ann@docs.test')).toBe(8)
    await Promise.all(said)
    expect(await one.chats.list('p1', whole)).toEqual({ count: 0, rows: [] })
    await one.close()
    one = await openTestStore(address)
    await expect.poll(() => db.collection('chat_messages').countDocuments()).toBe(0)
    const left = await db.collection('chats').find().toArray()
    expect(
      left
        .flatMap((row) => Object.keys(row))
        .filter((key) => !['_id', 'project', 'state', 'goneAt'].includes(key)),
    ).toEqual([])
  })

  test('lists every address once if both discover it concurrently', async () => {
    const names = numbers(30).map((n) => `n${n}`)
    const counted = await Promise.all(
      numbers(6).map((n) =>
        (n % 2 ? one : two).frontier.discover(
          'r1',
          names.slice(4 * n, 4 * n + 10).map((name) => listing(name)),
        ),
      ),
    )
    expect(counted.reduce((sum, n) => sum + n, 0)).toBe(30)
    expect((await one.frontier.next('r1', 's1', 99)).map((each) => each.url).sort()).toEqual(
      names.map(url).sort(),
    )
    expect((await two.runs.get('p1', 'r1'))!.pages.discovered).toBe(30)
  })

  test('a page published while the next run begins exists once that run has begun, or never', async () => {
    for (const n of numbers(8)) {
      const before = { run: `r${n + 1}`, fence: fence + n }
      const [[result], begun] = await Promise.all([
        one.pages.publish('p1', before.fence, [publication(`n${n}`)]),
        two.runs.begin(run(`r${n + 2}`, { createdAt: at(n + 2) })),
      ])
      expect(begun).toMatchObject({ superseded: before.run, run: { fence: before.fence + 1 } })
      const there = (await two.pages.byUrls('p1', [url(`n${n}`)]))[0] !== null
      expect(result).toBe(there ? 'published' : 'fenced')
    }
    expect(await one.pages.count('p1')).toBe((await two.pages.scan('p1', null, 99)).length)
  })

  test('a page published while its source is deleted does not keep the source', async () => {
    const pages = numbers(6).map((n) => publication(`n${n}`, { sources: n % 2 ? ['s2'] : ['s1', 's2'] }))
    await Promise.all([
      ...pages.map((page) => one.pages.publish('p1', null, [page])),
      two.sources.delete('p1', 's2'),
    ])
    const left = await one.pages.scan('p1', null, 99)
    expect(left.filter((page) => page.sources.includes('s2'))).toEqual([])
    expect(await two.pages.count('p1')).toBe(left.length)
    expect([...(await two.sources.pageCounts('p1'))]).toEqual([['s1', 3]])
  })

  test('deletes what is written to a project while it is deleted', async () => {
    await one.frontier.discover('r1', [listing('a')])
    await Promise.all([
      ...numbers(6).map((n) => one.pages.publish('p1', fence, [publication(`n${n}`)])),
      one.frontier.settle('r1', [settlement('a', { event: event('a') })]),
      two.projects.delete('p1'),
    ])
    expect(await one.pages.byUrls('p1', [url('n0'), url('n5')])).toEqual([null, null])
    expect(await two.runs.get('p1', 'r1')).toBeNull()
    await Promise.all([one.close(), two.close()])
    one = await openTestStore(address)
    two = await openTestStore(address)
    const left = async () => {
      const parts = ['pages', 'page_bodies', 'frontier', 'listings', 'runs', 'run_events', 'sources']
      return Promise.all(parts.map((part) => db.collection(part).countDocuments()))
    }
    await expect.poll(left).toEqual([0, 0, 0, 0, 0, 0, 0])
  })
})
