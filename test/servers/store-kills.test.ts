// The MongoDB driver killed between any two of its writes, or in the middle of one with many documents. After a kill,
// the next process finds the step done completely or not at all, and counters, pages, events and sweep equal those of
// SQLite, which has transactions.
import { isDeepStrictEqual } from 'node:util'
import fc from 'fast-check'
import type { Db } from 'mongodb'
import { beforeEach, describe, expect, test } from 'vitest'
import type { MongoDb } from '../../services/store/mongo/connection.ts'
import type { RunWithCounts } from '../../services/store/run.ts'
import { openSqliteStore } from '../../services/store/sqlite/sqlite-store.ts'
import type { Store } from '../../services/store/store.ts'
import { at, publication, run, withProject } from '../contract/store-case.ts'
import { isMissing } from './backend.ts'
import { useMongodb } from './mongodb-database.ts'
import { gated, Killed, killedAt } from './mongodb-gate.ts'
import { openParts, type Parts, type WrittenParts } from './mongodb-parts.ts'
import { openTestStore } from './mongodb-store.ts'
import { snapshot } from './store-snapshot.ts'
import {
  ask,
  beginCourse,
  type Course,
  deleteSource,
  type Kind,
  kinds,
  type Step,
  updateCourse,
} from './store-steps.ts'
import { prepare, writes } from './store-writes.ts'

describe.skipIf(isMissing('ferretdb'))('a killed process on MongoDB', () => {
  const mongodb = useMongodb()
  let url: string
  let db: Db & MongoDb
  let model: Store

  /** A project with a run in both stores. */
  const begin = async () => {
    ;({ url, db } = mongodb.create())
    const store = await openTestStore(url)
    model = await openSqliteStore(':memory:')
    for (const each of [store, model]) {
      await withProject(each)
      await each.runs.begin(run('r1'))
    }
    await store.close()
  }
  beforeEach(begin)

  const survives = async (step: Step, nth: number, halfDone: boolean): Promise<boolean> => {
    try {
      await step(openParts(gated(db, killedAt(nth, halfDone))))
      return true
    } catch (error) {
      if (error instanceof Killed) return false
      throw error
    }
  }

  /** Nothing remains that no page, run or sweep needs. */
  const expectNoRemains = async () => {
    const pages = await db.collection('pages').find().toArray()
    const bodies = await db.collection('page_bodies').find().toArray()
    const current = pages.filter((page) => page.state === 'current')
    expect(bodies.map((body) => String(body._id)).sort()).toEqual(current.map((page) => page.body).sort())
    expect(await db.collection('projects').countDocuments({ batch: { $ne: null } })).toBe(0)
    expect(await db.collection('runs').countDocuments({ frontier: 'ended' })).toBe(0)
  }

  const take = async (course: Course, { name, step }: Kind, nth: number, halfDone: boolean) => {
    await updateCourse(course, model)
    const newest = `r${course.runs}`
    const before = await ask(model, newest)
    const taken = step(course)
    const survived = await survives(taken, nth, halfDone)
    const next: Parts = openParts(db)
    let found = await ask(next, newest)
    const nothing = isDeepStrictEqual(found, before)
    // A hold is two batches, so it may be half done, and is repeated.
    if (!survived && (nothing || name.startsWith('hold'))) {
      await taken(next)
      found = await ask(next, newest)
    }
    await taken(model)
    expect(found, `${name}, killed at write ${nth}`).toEqual(await ask(model, newest))
  }

  test('after any sequence of killed steps, the store equals that of complete steps', {
    timeout: 600_000,
  }, async () => {
    const kill = fc.record({ kind: kinds, nth: fc.integer({ min: 1, max: 14 }), halfDone: fc.boolean() })
    await fc.assert(
      fc.asyncProperty(
        fc.array(kill, { minLength: 4, maxLength: 14, size: 'max' }),
        fc.nat(9),
        async (kills, nth) => {
          await begin()
          const course = beginCourse()
          for (const { kind, nth, halfDone } of kills) await take(course, kind, nth, halfDone)
          await survives((parts) => (parts as ReturnType<typeof openParts>).clear(), nth + 1, true)
          await openParts(db).clear()
          await updateCourse(course, model)
          expect(await ask(openParts(db), `r${course.runs}`)).toEqual(await ask(model, `r${course.runs}`))
          await expectNoRemains()
          await db.dropDatabase()
        },
      ),
      { numRuns: Number(process.env.LECTERN_TEST_KILLS ?? 12), endOnFailure: true },
    )
  })

  test.each(Object.entries(writes))(
    '%s, killed after each of its commands, can be repeated with the same result',
    async (_, write) => {
      const store = await openTestStore(url)
      try {
        const fresh = async (name: string) => ({ name, fence: await prepare(store, name) })
        const undisturbed = await fresh('undisturbed')
        await write(store, undisturbed.name, undisturbed.fence)
        const expected = await snapshot(store, undisturbed.name)
        for (let nth = 2, survived = false; !survived; nth++) {
          const { name, fence } = await fresh(`killed-at-${nth}`)
          survived = await survives((parts) => write(parts as WrittenParts, name, fence), nth, false)
          await write(store, name, fence)
          expect(await snapshot(store, name), `killed after write ${nth - 1}`).toEqual(expected)
        }
      } finally {
        await store.close()
      }
    },
  )

  test('a run whose end was interrupted is reported as ended to every reader', async () => {
    const readers: Record<string, (parts: Parts) => Promise<RunWithCounts | null>> = {
      get: ({ runs }) => runs.get('p1', 'r1'),
      latest: ({ runs }) => runs.latest('p1'),
      list: async ({ runs }) => (await runs.list('p1', { offset: 0, limit: 9 })).rows[0]!,
    }
    const end = { status: 'completed', at: at(5), error: null } as const
    for (const [name, read] of Object.entries(readers)) {
      for (let nth = 1, survived = false; !survived; nth++) {
        await begin()
        survived = await survives(({ runs }) => runs.finish('r1', end), nth, false)
        const next = openParts(db)
        const holds = await next.runs.holds({ uuid: 'r1', project: 'p1', fence: 1 })
        const expected = holds ? { status: 'queued' } : { status: 'completed', finishedAt: at(5) }
        expect(await read(next), `${name}, killed at write ${nth}`).toMatchObject(expected)
      }
    }
  })

  test('a deleted source disappears from all results at once, wherever its process is killed', {
    timeout: 300_000,
  }, async () => {
    for (let nth = 1; ; nth++) {
      if (nth > 1) await begin()
      const filled = await fill(openParts(db))
      await fill(model)
      const survived = await survives(deleteSource, nth, nth % 2 === 0)
      const next = openParts(db)
      const there = (await next.sources.all('p1')).length === 2
      if (there) expect(await next.pages.scan('p1', null, 9)).toEqual(filled)
      if (there) await deleteSource(next)
      else {
        expect((await next.pages.scan('p1', null, 9)).map(({ uuid, sources }) => [uuid, sources])).toEqual([
          ['page-a', ['s1']],
          ['page-c', ['s1']],
          ['page-d', []],
        ])
      }
      await next.clear()
      await deleteSource(model)
      expect(await ask(next, 'r1'), `killed at write ${nth}`).toEqual(await ask(model, 'r1'))
      await expectNoRemains()
      if (survived) break
    }
  })
})

/** Pages of s1, of s2, of both, and a pinned one of s2. */
async function fill({ pages }: Parts) {
  await pages.publish('p1', null, [
    publication('a'),
    publication('b', { sources: ['s2'] }),
    publication('c', { sources: ['s1', 's2'] }),
    publication('d', { sources: ['s2'], pinned: true }),
  ])
  return pages.scan('p1', null, 9)
}
