// What every method of the store has round it: the driver's errors in the port's words, and an answer in time.
import pTimeout from 'p-timeout'
import { backendAway } from '../../errors.ts'
import { toStoreError } from './connection.ts'

/** Milliseconds that a caller waits for a server that keeps its connection and says nothing. */
const timeouts = { readers: 2_500, work: 30_000 } as const

/** Who waits: readers, or work in the background, which a busy server must not end. */
export type Priority = keyof typeof timeouts

type Method = (...values: unknown[]) => Promise<unknown>

/**
 * Makes of methods the same methods, which reject with Conflict or with DomainError(unavailable), the driver's error being its cause. The
 * `slow` may take long in a large project, and no reader waits for them: when a server falls silent they end as soon
 * as the monitoring notices it, in about 4 s.
 */
export const createGuard =
  (priority: Priority) =>
  <Methods extends object>(methods: Methods, slow: 'all' | (keyof Methods)[] = []): Methods =>
    Object.fromEntries(
      Object.entries(methods).map(([name, method]) => [
        name,
        guard(method, slow === 'all' || slow.includes(name as keyof Methods), timeouts[priority]),
      ]),
    ) as Methods

const guard =
  (method: Method, isSlow: boolean, ms: number): Method =>
  async (...values) => {
    try {
      const answer = method(...values)
      return await (isSlow ? answer : pTimeout(answer, { milliseconds: ms, fallback: noAnswer }))
    } catch (error) {
      throw toStoreError(error)
    }
  }

function noAnswer(): never {
  throw backendAway('store', new Error('no answer in time'))
}
