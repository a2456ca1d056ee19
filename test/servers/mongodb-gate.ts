// A MongoDB database whose writes can be stopped individually: the writing process is killed or suspended.
import type { MongoDb } from '../../services/store/mongo/connection.ts'

export class Killed extends Error {}

const writes = new Set([
  'insertOne',
  'insertMany',
  'updateOne',
  'updateMany',
  'replaceOne',
  'bulkWrite',
  'deleteOne',
  'deleteMany',
  'findOneAndUpdate',
])

type Method = (...values: unknown[]) => Promise<unknown>

/** Called at each write command, from 1. `half` does one half of a command with many documents. */
type AtWrite = (count: number, half: () => Promise<void>) => Promise<void>

/** The same database; calls `atWrite` before each write command. */
export function gated(db: MongoDb, atWrite: AtWrite): MongoDb {
  let count = 0
  const around =
    (rows: object, work: Method) =>
    async (...values: unknown[]) => {
      const [many, ...rest] = values
      await atWrite(++count, async () => {
        if (Array.isArray(many) && many.length > 1)
          await work.call(rows, many.slice(0, many.length / 2), ...rest).catch(() => {})
      })
      return work.call(rows, ...values)
    }
  return {
    collection: (name) =>
      new Proxy(db.collection(name), {
        get(rows, property: string) {
          const member = Reflect.get(rows, property)
          if (typeof member !== 'function') return member
          return writes.has(property) ? around(rows, member) : member.bind(rows)
        },
      }) as never,
  }
}

/** Fails at the nth write: before it, or when half of it is done. Later writes fail, too. */
export function killedAt(nth: number, halfDone: boolean): AtWrite {
  return async (count, half) => {
    if (count === nth && halfDone) await half()
    if (count >= nth) throw new Killed()
  }
}

/** Suspends at the nth write until it is released. */
export function heldAt(nth: number) {
  const reached = Promise.withResolvers<void>()
  const released = Promise.withResolvers<void>()
  const atWrite: AtWrite = async (count) => {
    if (count !== nth) return
    reached.resolve()
    await released.promise
  }
  return { atWrite, reached: reached.promise, release: released.resolve }
}
