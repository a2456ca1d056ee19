// A process suspended in the middle of a write on MongoDB while another one continues, and resumed afterwards: its
// write takes effect before everything that the other did, or after it, or not at all, but never in between.
import fc from 'fast-check'
import type { Db } from 'mongodb'
import { describe, expect, test } from 'vitest'
import type { MongoDb } from '../../services/store/mongo/connection.ts'
import { openSqliteStore } from '../../services/store/sqlite/sqlite-store.ts'
import type { Store } from '../../services/store/store.ts'
import { at, listing, publication, run, settlement, withProject } from '../contract/store-case.ts'
import { isMissing } from './backend.ts'
import { useMongodb } from './mongodb-database.ts'
import { gated, heldAt } from './mongodb-gate.ts'
import { openParts, type Parts } from './mongodb-parts.ts'
import { openTestStore } from './mongodb-store.ts'
import { ask, beginCourse, type Kind, kinds, type Step, updateCourse } from './store-steps.ts'

describe.skipIf(isMissing('ferretdb'))('an overtaken process on MongoDB', () => {
  const mongodb = useMongodb()

  const begin = async (): Promise<Db & MongoDb> => {
    const { url, db } = mongodb.create()
    const store = await openTestStore(url)
    await withProject(store)
    await store.runs.begin(run('r1'))
    await store.close()
    return db
  }
  const openModel = async (): Promise<Store> => {
    const model = await openSqliteStore(':memory:')
    await withProject(model)
    await model.runs.begin(run('r1'))
    return model
  }

  /** Begins a step and suspends it at its nth write, if it has so many; `goOn` lets it finish. */
  const hold = async (db: MongoDb, step: Step, nth: number) => {
    const gate = heldAt(nth)
    const ended = step(openParts(gated(db, gate.atWrite)))
    const isHeld = await Promise.race([gate.reached.then(() => true), ended.then(() => false)])
    const goOn = async () => {
      gate.release()
      return ended
    }
    return { isHeld, goOn }
  }

  test('any step takes effect before or after the steps that overtake it', { timeout: 600_000 }, async () => {
    const single = kinds.filter((kind) => !kind.name.startsWith('hold'))
    const several = fc.array(kinds, { minLength: 1, maxLength: 4 })
    const chosen = fc.record({
      first: several,
      held: single,
      nth: fc.integer({ min: 1, max: 12 }),
      others: several,
    })
    await fc.assert(
      fc.asyncProperty(chosen, async ({ first, held, nth, others }) => {
        const db = await begin()
        const [before, after] = [await openModel(), await openModel()]
        const course = beginCourse()
        const take = async (kind: Kind, stores: Parameters<Step>[0][]) => {
          await updateCourse(course, after)
          const step = kind.step(course)
          for (const store of stores) await step(store)
        }
        for (const kind of first) await take(kind, [openParts(db), before, after])
        await updateCourse(course, after)
        // A copy of the course as it is now, whenever the step is taken. Versions of a page are unique: later steps have others.
        const present = { ...course }
        const step = held.step(present)
        course.version = present.version
        const { goOn } = await hold(db, step, nth)
        await step(before)
        for (const kind of others) await take(kind, [openParts(db), before, after])
        await goOn()
        await step(after)

        const newest = `r${(await before.runs.list('p1', { offset: 0, limit: 1 })).count}`
        const found = await ask(openParts(db), newest)
        const [one, other] = [await ask(before, newest), await ask(after, newest)]
        if (JSON.stringify(found.pages) === JSON.stringify(one.pages) && !equals(found, other))
          expect(found, `${held.name} held at write ${nth}`).toEqual(one)
        else if (!equals(found, one)) expect(found, `${held.name} held at write ${nth}`).toEqual(other)
        await openParts(db).clear()
        await db.dropDatabase()
      }),
      { numRuns: Number(process.env.LECTERN_TEST_OVERTAKEN ?? 15), endOnFailure: true },
    )
  })

  const underR1: Record<string, Step> = {
    publish: ({ pages }) =>
      pages.publish('p1', 1, [publication('a', { version: 20, fetchedAt: at(3) }), publication('n')]),
    seen: ({ pages }) => pages.seen('p1', 1, [{ uuid: 'page-a', sources: ['s2'], fetchedAt: at(9) }]),
    remove: ({ pages }) => pages.remove('p1', 1, ['page-a', 'page-b']),
    hold: ({ pages }) => pages.hold('r1', 1, ['page-a', 'page-b']),
    assign: ({ pages }) => pages.assignSources('r1', 1, []),
    discover: ({ frontier }) => frontier.discover('r1', [listing('c'), listing('d')]),
    settle: ({ frontier }) => frontier.settle('r1', [settlement('a'), settlement('b')]),
    finish: ({ runs }) => runs.finish('r1', { status: 'completed', at: at(9), error: null }),
  }

  test.each(Object.entries(underR1))(
    'a suspended %s overwrites nothing that the next run has written',
    { timeout: 300_000 },
    async (_, step) => {
      for (let nth = 1; ; nth++) {
        const db = await begin()
        const other = openParts(db)
        await other.pages.publish('p1', 1, [publication('a'), publication('b')])
        await other.frontier.discover('r1', [listing('a', 's2'), listing('b')]) // so that assigning writes
        const { isHeld, goOn } = await hold(db, step, nth)
        if (!isHeld) {
          expect(nth, 'writes of the step').toBeGreaterThan(1)
          break
        }
        await other.runs.begin(run('r2', { createdAt: at(5) }))
        await replaceAll(other)
        const answered = { now: await ask(other, 'r2'), before: await other.runs.get('p1', 'r1') }
        await goOn()
        // A version may be listed for the sweep twice: no page has it, and sweeping it again deletes nothing.
        await sweep(other.pages)
        const later = { now: await ask(other, 'r2'), before: await other.runs.get('p1', 'r1') }
        expect(later, `held at write ${nth}`).toEqual(answered)
        await db.dropDatabase()
      }
    },
  )
})

/** The second run rewrites both pages, and removes one of them. */
async function replaceAll({ pages }: Parts) {
  const next = ['a', 'b'].map((path) => publication(path, { version: 90, fetchedAt: at(10) }))
  expect(await pages.publish('p1', 2, next)).toEqual(['published', 'published'])
  await pages.remove('p1', 2, ['page-b'])
  await sweep(pages)
}

const sweep = async (pages: Parts['pages']) => pages.forget('p1', await pages.swept('p1', 9))

const equals = (a: unknown, b: unknown): boolean => {
  try {
    expect(a).toEqual(b)
    return true
  } catch {
    return false
  }
}
