// What every method of the store has round it: the driver's errors in the port's words, and an answer in time.
import { backendAway } from '../../errors.ts'
import { toStoreError } from './connection.ts'

/** Milliseconds that a caller waits for a server that keeps its connection and says nothing. */
const patience = 2_500

/**
 * Methods that may take longer in a large project, and that no reader waits for. They end too when a server falls
 * silent, as soon as the monitoring notices it.
 */
const unhurried = new Set([
  'append',
  'appendLast',
  'assignSources',
  'begin',
  'close',
  'delete',
  'deleteByEmail',
  'discover',
  'expire',
  'finish',
  'hold',
  'prune',
  'publish',
  'record',
  'remove',
  'scan',
  'seen',
  'settle',
  'unlisted',
  'write',
])

type Method = (...values: unknown[]) => Promise<unknown>

/** The same methods; each rejects with Conflict or with DomainError(unavailable), the driver's error being the cause. */
export const guarded = <Methods extends object>(methods: Methods): Methods =>
  Object.fromEntries(
    Object.entries(methods).map(([name, method]) => [name, guard(name, method as Method)]),
  ) as Methods

const guard =
  (name: string, method: Method): Method =>
  async (...values) => {
    try {
      const answer = method(...values)
      return await (unhurried.has(name) ? answer : inTime(answer))
    } catch (error) {
      throw toStoreError(error)
    }
  }

/** What comes after the time is up is passed over: the caller has been told that it is not known. */
export const inTime = async <Answer>(answer: Promise<Answer>): Promise<Answer> => {
  let timer: NodeJS.Timeout | undefined
  const silence = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(backendAway('store', new Error('no answer in time'))), patience)
  })
  try {
    return await Promise.race([answer, silence])
  } finally {
    clearTimeout(timer)
  }
}
