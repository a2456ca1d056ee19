// Every kind of write on MongoDB with the reply to each of its commands lost in turn: the caller is told that the store is
// away, and what it asks again of another process has the end that it would have had at once.
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Store } from '../../services/store/store.ts'
import { serversAvailable } from './available.ts'
import { type FerretdbServer, openFerretdb } from './ferretdb.ts'
import { type Cutter, openCutter } from './mongodb-cutter.ts'
import { databaseOf } from './mongodb-database.ts'
import { openTestStore } from './mongodb-store.ts'
import { snapshot } from './store-snapshot.ts'
import { prepare, writes } from './store-writes.ts'

/** A process that loses replies. Several take turns, for after each loss it waits until the driver has looked again. */
interface Loser {
  cutter: Cutter
  store: Store
}
const losersCount = 4

describe.skipIf(!serversAvailable)('a reply of MongoDB is lost', () => {
  let server: FerretdbServer
  let losers: Loser[]
  /** The process that is asked next. */
  let other: Store
  let names = 0
  beforeAll(async () => {
    server = await openFerretdb()
    other = await openTestStore(databaseOf(server.url, 'faults'))
    losers = await Promise.all(Array.from({ length: losersCount }, openLoser))
  })
  afterAll(async () => {
    await Promise.all([other.close(), ...losers.map(({ store }) => store.close())])
    await Promise.all(losers.map(({ cutter }) => cutter.close()))
    await server.remove()
  })

  const openLoser = async (): Promise<Loser> => {
    const cutter = await openCutter(server.port)
    return { cutter, store: await openTestStore(`mongodb://127.0.0.1:${cutter.port}/faults`) }
  }

  const fresh = async () => {
    const name = `project-${String(names++).padStart(4, '0')}`
    return { name, fence: await prepare(other, name) }
  }

  test.each(Object.entries(writes))('%s', { timeout: 120_000 }, async (_, write) => {
    const undisturbed = await fresh()
    const [first] = losers
    first!.cutter.loseReply(0)
    await write(first!.store, undisturbed.name, undisturbed.fence)
    const commands = first!.cutter.commands()
    const expected = await snapshot(other, undisturbed.name)

    const loseAndRepeat = async ({ cutter, store }: Loser, n: number) => {
      const { name, fence } = await fresh()
      cutter.loseReply(n)
      // What only reads is asked again by the driver itself: then nobody is refused.
      await write(store, name, fence).catch((error) =>
        expect(error).toMatchObject({ name: 'DomainError', reason: 'unavailable' }),
      )
      cutter.loseReply(0)
      await write(other, name, fence)
      expect(await snapshot(other, name), `reply ${n} of ${commands}`).toEqual(expected)
    }
    await Promise.all(
      losers.map(async (loser, at) => {
        for (let n = at + 1; n <= commands; n += losersCount) await loseAndRepeat(loser, n)
      }),
    )
  })
})
