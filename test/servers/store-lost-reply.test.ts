// Every kind of write on MongoDB with the reply to each of its commands lost in turn: the caller is told that the store is
// away, and what it asks again of another process has the end that it would have had at once.
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { DomainError } from '../../services/errors.ts'
import { openMongoStore } from '../../services/store/mongo/mongo-store.ts'
import type { Store } from '../../services/store/store.ts'
import { serversAvailable } from './available.ts'
import { type FerretdbServer, openFerretdb } from './ferretdb.ts'
import { type Cutter, openCutter } from './mongodb-cutter.ts'
import { databaseOf } from './mongodb-database.ts'
import { snapshot } from './store-snapshot.ts'
import { prepare, writes } from './store-writes.ts'

describe.skipIf(!serversAvailable)('a reply of MongoDB is lost', () => {
  let server: FerretdbServer
  let cutter: Cutter
  /** The process that loses replies, and the one that is asked next. */
  let cut: Store
  let other: Store
  let names = 0
  beforeAll(async () => {
    server = await openFerretdb()
    cutter = await openCutter(server.port)
    cut = await openMongoStore(`mongodb://127.0.0.1:${cutter.port}/faults`)
    other = await openMongoStore(databaseOf(server.url, 'faults'))
  })
  afterAll(async () => {
    await Promise.all([cut.close(), other.close()])
    await cutter.close()
    await server.remove()
  })

  const fresh = async () => {
    const name = `project-${String(names++).padStart(4, '0')}`
    return { name, fence: await prepare(other, name) }
  }

  test.each(Object.entries(writes))('%s', { timeout: 120_000 }, async (_, write) => {
    const undisturbed = await fresh()
    cutter.loseReply(0)
    await write(cut, undisturbed.name, undisturbed.fence)
    const commands = cutter.commands()
    const expected = await snapshot(other, undisturbed.name)

    for (let n = 1; n <= commands; n++) {
      const { name, fence } = await fresh()
      cutter.loseReply(n)
      // What only read is asked again by the driver itself.
      const refused = await write(cut, name, fence).then(
        () => null,
        (error) => error,
      )
      cutter.loseReply(0)
      if (refused !== null) {
        expect(refused).toBeInstanceOf(DomainError)
        expect(refused.reason).toBe('unavailable')
      }
      await write(other, name, fence)
      expect(await snapshot(other, name), `reply ${n} of ${commands}`).toEqual(expected)
    }
  })
})
