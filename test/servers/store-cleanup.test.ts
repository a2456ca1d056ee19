// What deleted projects and erased chats leave on MongoDB: cleaned up by the next process, and again for an hour,
// because a suspended process may finish its write late.
import { beforeEach, describe, expect, test } from 'vitest'
import { createCleanup } from '../../services/store/mongo/cleanup.ts'
import { openConnection } from '../../services/store/mongo/connection.ts'
import { createJournal } from '../../services/store/mongo/journal.ts'
import { createIndexes } from '../../services/store/mongo/mongo-store.ts'
import { project } from '../contract/store-case.ts'
import { isMissing } from './backend.ts'
import { useMongodb } from './mongodb-database.ts'
import { openTestStore } from './mongodb-store.ts'
import { prepare, writes } from './store-writes.ts'

const hour = 3_600_000

describe.skipIf(isMissing('ferretdb'))('cleanup on MongoDB', () => {
  const mongodb = useMongodb()
  let url: string
  let db: ReturnType<typeof mongodb.create>['db']
  beforeEach(() => {
    ;({ url, db } = mongodb.create())
  })

  /** Number of rows by collection, without empty ones. */
  const rows = async (filter: object = {}): Promise<Record<string, number>> => {
    const names = (await db.listCollections().toArray()).map(({ name }) => name)
    const counts = await Promise.all(names.map((name) => db.collection(name).countDocuments(filter)))
    return Object.fromEntries(
      names.map((name, n) => [name, counts[n]!] as const).filter(([, count]) => count > 0),
    )
  }

  test('a deleted project leaves only a tombstone, and other projects lose nothing', async () => {
    const store = await openTestStore(url)
    for (const name of ['p1', 'p2']) {
      const fence = await prepare(store, name)
      for (const write of ['pages.publish', 'frontier.settle', 'vocabulary.write', 'analytics.record'])
        await writes[write]!(store, name, fence)
    }
    const other = await rows({ project: 'p2' })
    expect(Object.keys(other)).toEqual(Object.keys(await rows({ project: 'p1' })))
    expect(await store.projects.delete('p1')).toBe(true)
    await expect.poll(() => rows({ project: 'p1' })).toEqual({})
    expect(await rows({ project: 'p2' })).toEqual(other)
    const tombstone = await db.collection<{ _id: string }>('projects').findOne({ _id: 'p1' })
    expect(Object.keys(tombstone!).sort()).toEqual(['_id', 'goneAt', 'slug', 'state'])
    await store.close()
  })

  test('the next process cleans up after a killed one', async () => {
    const store = await openTestStore(url)
    await prepare(store, 'p1')
    await prepare(store, 'p2')
    await store.close()
    // The state after a process was killed when it had deleted a project, and another one when it had erased a chat.
    const gone = { state: 'gone', goneAt: Date.now() }
    await db.collection<{ _id: string }>('projects').replaceOne({ _id: 'p1' }, { ...gone, slug: 'gone/p1' })
    await db.collection<{ _id: string }>('chats').replaceOne({ _id: 'p2-chat' }, { ...gone, project: 'p2' })
    const next = await openTestStore(url)
    await expect.poll(() => rows({ project: 'p1' })).toEqual({})
    await expect.poll(() => rows({ chat: 'p2-chat' })).toEqual({})
    expect(await next.projects.byUuid('p2')).not.toBeNull()
    await next.close()
  })

  test('late writes are cleaned up for an hour, then the tombstone is deleted', async () => {
    const connection = await openConnection(url)
    await createIndexes(connection.db)
    let now = 1_000
    const cleanup = createCleanup(connection.db, createJournal(connection.db), () => now)
    await db
      .collection<{ _id: string }>('projects')
      .insertOne({ ...project(), _id: 'p1', state: 'gone', goneAt: 1_000, slug: 'gone/p1' } as never)
    await cleanup.run()
    await db.collection('analytics_events').insertOne({ project: 'p1' })
    now += hour - 1
    await cleanup.run()
    expect(await rows()).toEqual({ projects: 1 })
    await db.collection('analytics_events').insertOne({ project: 'p1' })
    now += 1
    await cleanup.run()
    expect(await rows()).toEqual({})
    await connection.close()
  })
})
