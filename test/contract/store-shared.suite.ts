// The contract of a store that two processes have open: cases with two handles of one database.
import assert from 'node:assert/strict'
import { describe, test } from 'vitest'
import { Conflict } from '../../services/errors.ts'
import type { Store } from '../../services/store/store.ts'
import {
  at,
  content,
  event,
  key,
  listing,
  project,
  publication,
  recrawl,
  run,
  settlement,
  source,
  url,
  uuidsIn,
  whole,
  withProject,
  withRun,
} from './store-case.ts'
import { chat, question } from './store-chat-case.ts'
import { talliesOf } from './store-tallies.ts'

type SharedStoreCases = Record<string, (one: Store, other: Store) => Promise<void>>

/** Objects over which the two handles compete concurrently. */
const things = Array.from({ length: 6 }, (_, n) => `n${n}`)

/** Does the same with both handles concurrently, for every object; returns pairs of results. */
const both = <Result>(work: (handle: 0 | 1, thing: string) => Promise<Result>): Promise<[Result, Result][]> =>
  Promise.all(things.map((thing) => Promise.all([work(0, thing), work(1, thing)])))

/** The only handle that returned `won`. */
const winnerOf = <Result>(pair: [Result, Result], won: Result, lost: Result): 0 | 1 => {
  const winner = pair[0] === won ? 0 : 1
  assert.deepEqual([pair[winner], pair[1 - winner]], [won, lost])
  return winner
}

/** Whether the row was inserted; false if its unique value belongs to another row. */
const isTaken = async (insert: Promise<unknown>): Promise<boolean> => {
  try {
    await insert
    return true
  } catch (error) {
    assert(error instanceof Conflict)
    return false
  }
}

const sharedStoreCases: SharedStoreCases = {
  async 'a limit counts the hits of both, in a new and in an expired window, and keeps the longest block'(
    one,
    other,
  ) {
    const twenty = Array.from({ length: 20 }, (_, n) => n + 1)
    for (const now of [1_000, 2_000]) {
      const hits = await Promise.all(twenty.map((n) => (n % 2 ? one : other).limits.hit('a', 60, now)))
      assert.deepEqual(
        hits.map(({ count }) => count).sort((a, b) => a - b),
        twenty,
      )
    }
    await Promise.all(twenty.map((n) => (n % 2 ? one : other).limits.block('a', 1_000 + n)))
    assert.equal(await one.limits.blockedUntil('a'), 1_020)
  },
  async 'of a run and a recrawl that publish a page concurrently, the one fetched later wins, with its text'(
    one,
    other,
  ) {
    const fence = await withRun(one)
    await one.pages.publish(
      'p1',
      fence,
      things.map((path) => publication(path)),
    )
    const next = (path: string, version: number) => ({
      ...publication(path, { version, fetchedAt: at(version), title: `Title ${version}` }),
      content: content(`Text ${version}`),
    })
    const results = await both(async (handle, path) =>
      handle === 0
        ? (await one.pages.publish('p1', fence, [next(path, 20)]))[0]
        : (await other.pages.publish('p1', null, [next(path, 21)]))[0],
    )
    for (const [n, [, later]] of results.entries()) {
      assert.equal(later, 'published')
      const [stored] = await other.pages.byUuids([`page-${things[n]}`])
      assert.deepEqual([stored?.version, stored?.title], [21, 'Title 21'])
      assert.deepEqual(await one.pages.content(`page-${things[n]}`), content('Text 21'))
    }
    const replaced = results.filter(([earlier]) => earlier === 'published').length
    assert.equal((await one.pages.swept('p1', 99)).length, things.length + replaced)
  },
  async 'a page that both publish for the first time is stored once'(one, other) {
    const fence = await withRun(one)
    const results = await both(async (handle, path) => {
      const version = 20 + handle
      return (await [one, other][handle]!.pages.publish('p1', fence, [publication(path, { version })]))[0]
    })
    const current = await one.pages.current(things.map((path) => `page-${path}`))
    for (const [n, [, later]] of results.entries())
      assert.deepEqual([current.get(`page-${things[n]}`), later], [21, 'published'])
    assert.equal(await other.pages.count('p1'), things.length)
    assert.deepEqual(await other.sources.pageCounts('p1'), new Map([['s1', things.length]]))
  },
  async 'a URL that both settle has one outcome, counted once, with one event'(one, other) {
    await withRun(one)
    const [added, failed] = ['added' as const, 'failed' as const]
    await one.frontier.discover(
      'r1',
      things.flatMap((path) => [listing(path), listing(path, 's2')]),
    )
    await both((handle, path) =>
      handle === 0
        ? one.frontier.settle('r1', [settlement(path, { outcome: added, event: event(`0-${path}`) })])
        : other.frontier.settle('r1', [
            settlement(path, {
              ...{ source: 's2', outcome: failed, reason: 'timeout' },
              event: event(`1-${path}`),
            }),
          ]),
    )
    const states = await one.frontier.states('r1', things.map(url))
    const count = (outcome: string) => states.filter((state) => state?.outcome === outcome).length
    const pages = (await other.runs.get('p1', 'r1'))!.pages
    assert.deepEqual([pages.added, pages.failed], [count(added), count(failed)])
    assert.deepEqual([pages.discovered, pages.pending, pages.fetched], [6, 0, 12])
    const events = (await one.runs.events('r1', {}, whole)).rows
    assert.deepEqual(
      events.map(({ id }) => id).sort(),
      states.map((state, n) => `${state?.outcome === added ? 0 : 1}-${things[n]}`).sort(),
    )
  },
  async 'a run that both end has the status of the first'(one, other) {
    for (const thing of things) {
      await one.projects.insert(project(thing))
      await one.runs.begin(run(thing, { project: thing }))
    }
    const answers = await both((handle, thing) =>
      handle === 0
        ? one.runs.finish(thing, { status: 'completed', at: at(5), error: null })
        : other.runs.finish(thing, { status: 'cancelled', at: at(6), error: null }),
    )
    for (const [n, pair] of answers.entries()) {
      const status = winnerOf(pair, true, false) === 0 ? 'completed' : 'cancelled'
      assert.equal((await one.runs.get(things[n]!, things[n]!))?.status, status)
    }
  },
  async 'of two runs begun concurrently, one supersedes the other'(one, other) {
    for (const thing of things) await one.projects.insert(project(thing))
    const begun = await both((handle, thing) =>
      [one, other][handle]!.runs.begin(run(`${thing}-${handle}`, { project: thing })),
    )
    for (const [n, pair] of begun.entries()) {
      const newer = pair[0]!.run.fence > pair[1]!.run.fence ? 0 : 1
      const older = 1 - newer
      const thing = things[n]!
      assert.equal(pair[newer]!.superseded, `${thing}-${older}`)
      assert.equal(pair[older]!.superseded, null)
      assert.deepEqual(
        [await other.runs.holds(pair[newer]!.run), await one.runs.holds(pair[older]!.run)],
        [true, false],
      )
      const cancelled = await one.runs.get(thing, `${thing}-${older}`)
      assert.deepEqual([cancelled?.status, cancelled?.supersededBy], ['cancelled', `${thing}-${newer}`])
    }
  },
  async 'a settlement while the run ends counts exactly if it was acknowledged'(one, other) {
    await withRun(one)
    await one.frontier.discover(
      'r1',
      things.map((path) => listing(path)),
    )
    const settle = (path: string) => one.frontier.settle('r1', [settlement(path)])
    const before = things.slice(0, 3).map(settle)
    const ended = other.runs.finish('r1', { status: 'completed', at: at(5), error: null })
    const settled = await Promise.all([...before, ...things.slice(3).map(settle)])
    assert.equal(await ended, true)
    const { added, pending, discovered } = (await one.runs.get('p1', 'r1'))!.pages
    assert.equal(added, settled.filter(Boolean).length)
    assert.deepEqual([discovered, pending], [6, 6 - added])
  },
  async 'a recrawl that both end has the outcome of one'(one, other) {
    await withProject(one)
    for (const thing of things) await one.recrawls.insert(recrawl(thing))
    const answers = await both((handle, thing) =>
      [one, other][handle]!.recrawls.settle(thing, {
        ...{ status: handle === 0 ? 'indexed' : 'unchanged', reason: null },
        finishedAt: at(5 + handle),
      }),
    )
    for (const [n, pair] of answers.entries()) {
      const stored = await one.recrawls.get('p1', things[n]!)
      assert.equal(stored?.finishedAt, at(5 + winnerOf(pair, true, false)))
    }
  },
  async 'a slug, an address and a hash are inserted by one'(one, other) {
    await one.projects.insert(project())
    const rows = await both(async (handle, thing) => {
      const [store, uuid] = [[one, other][handle]!, `${thing}-${handle}`]
      return [
        await isTaken(store.projects.insert(project(uuid, { slug: thing }))),
        await isTaken(store.sources.insert(source(uuid, { url: url(thing) }))),
        await isTaken(store.keys.insert(key(uuid, { hash: thing }))),
      ]
    })
    for (const [first, second] of rows)
      for (const n of [0, 1, 2]) winnerOf([first[n]!, second[n]!], true, false)
    assert.equal((await one.sources.all('p1')).length, things.length)
  },
  async 'of two changes of a project on one revision, one is applied'(one, other) {
    for (const thing of things) await one.projects.insert(project(thing))
    const answers = await both((handle, thing) =>
      [one, other][handle]!.projects.update(project(thing, { name: `Name ${handle}`, revision: 2 })),
    )
    for (const [n, pair] of answers.entries()) {
      const stored = await one.projects.byUuid(things[n]!)
      assert.equal(stored?.name, `Name ${winnerOf(pair, true, false)}`)
    }
  },
  async 'of two messages at one position of a chat, one is stored'(one, other) {
    await one.projects.insert(project())
    for (const thing of things) await one.chats.insert(chat(thing))
    const answers = await both((handle, thing) => {
      const message = question(0, { uuid: `${thing}-${handle}`, chat: thing })
      return isTaken([one, other][handle]!.chats.append(message, null, null))
    })
    for (const [n, pair] of answers.entries()) {
      const kept = await other.chats.messages(things[n]!)
      assert.deepEqual(uuidsIn(kept), [`${things[n]}-${winnerOf(pair, true, false)}`])
      assert.equal((await one.chats.get(things[n]!))?.messageCount, 1)
    }
  },
  async 'counts match the stored chats while both write, erase and read'(one, other) {
    await one.projects.insert(project())
    const days = { from: '2026-01-01', to: '2026-01-03' }
    const countsOf = (store: Store) => talliesOf(store.chats, 'p1', days, ['message', 'user'])
    // The two results may differ while others write.
    async function readDuring({ chats }: Store) {
      await chats.daily('p1', days, ['message', 'user'])
      await chats.keys('p1', days, 'user', 100)
    }
    for (const thing of things) {
      await one.chats.insert(chat(thing, { email: null }))
      await one.chats.append(question(0, { uuid: `${thing}-0`, chat: thing }), null, null)
    }
    const person = (email: string) => ({ hash: null, at: at(9), email })
    await Promise.all(
      things.flatMap((thing, n) => {
        const more = question(1, { uuid: `${thing}-1`, chat: thing })
        return [
          one.chats.append(more, null, person(n % 2 ? 'ann@docs.test' : 'bob@docs.test')),
          ...(n % 2 ? [other.chats.deleteByEmail('p1', 'ann@docs.test')] : [other.chats.delete('p1', thing)]),
          readDuring(one),
          readDuring(other),
        ]
      }),
    )
    await other.chats.deleteByEmail('p1', 'ann@docs.test')
    assert.deepEqual(await countsOf(one), [])
    assert.deepEqual(await countsOf(other), [])
    await one.chats.insert(chat('last', { email: null }))
    await one.chats.append(question(0, { chat: 'last' }), null, null)
    const last = [{ day: '2026-01-02', counts: { message: { '': 1 } } }]
    assert.deepEqual([await countsOf(one), await countsOf(other)], [last, last])
  },
}

/** Runs every case with two handles of a new database; `open` returns both. */
export const testSharedStore = (driver: string, open: () => Promise<[Store, Store]>): void => {
  describe(`${driver} store, opened twice`, () => {
    for (const [name, run] of Object.entries(sharedStoreCases))
      test(name, async () => {
        const handles = await open()
        try {
          await run(...handles)
        } finally {
          for (const handle of handles) await handle.close()
        }
      })
  })
}
