import { afterEach, expect, test, vi } from 'vitest'
import { DomainError } from '../errors.ts'
import { openThread, StuckThread, type Thread } from './thread.ts'

interface Api {
  double(number: number): Promise<number>
  refuse(): Promise<never>
  die(): Promise<never>
  askDouble(number: number): Promise<number>
  askRefuse(): Promise<never>
  tell(): Promise<void>
  complain(): Promise<void>
  spin(): Promise<never>
  block(latch: Int32Array): Promise<void>
}

let thread: Thread<Api>
afterEach(async () => {
  vi.useRealTimers()
  await thread.terminate()
})

const options = {
  entry: new URL('../../test/fixtures/served-thread.ts', import.meta.url),
  workerData: { factor: 2 },
  heartbeatTimeout: 10_000,
  report() {},
}

test('a call is answered by the thread', async () => {
  thread = await openThread<Api>(options)
  expect(await Promise.all([thread.api.double(3), thread.api.double(4)])).toEqual([6, 8])
})

test('an error keeps its reason and fields on the way', async () => {
  thread = await openThread<Api>(options)
  const refused = await thread.api.refuse().catch((error: unknown) => error)
  expect(refused).toBeInstanceOf(DomainError)
  expect(refused).toMatchObject({
    reason: 'not_found',
    message: 'No such page.',
    fields: { url: ['is unknown'] },
  })
})

test('calls under way, and later ones, are unavailable when the thread dies', async () => {
  thread = await openThread<Api>(options)
  await expect(thread.api.die()).rejects.toMatchObject({ reason: 'unavailable' })
  await expect(thread.api.double(1)).rejects.toMatchObject({ reason: 'unavailable' })
  expect(await thread.ended).toMatchObject({ message: 'the thread died' })
})

test('the thread asks its owner, whose errors keep their reason too', async () => {
  const serves = {
    double: async (number: number) => 2 * number,
    refuse: async () => {
      throw new DomainError('not_found', 'No such page.')
    },
  }
  thread = await openThread<Api>({ ...options, serves })
  expect(await Promise.all([thread.api.askDouble(3), thread.api.askDouble(4)])).toEqual([6, 8])
  await expect(thread.api.askRefuse()).rejects.toMatchObject({
    reason: 'not_found',
    message: 'No such page.',
  })
})

test('lines that are no errors reach the log of the owner', async () => {
  const lines: string[] = []
  const log = {
    info: (line: string) => lines.push(`info ${line}`),
    warn: (line: string) => lines.push(`warn ${line}`),
  }
  thread = await openThread<Api>({ ...options, log })
  await thread.api.tell()
  expect(lines).toEqual(['info half is done', 'warn the rest is late'])
})

test('what the thread reports reaches its owner', async () => {
  const reported = Promise.withResolvers<unknown>()
  thread = await openThread<Api>({ ...options, report: reported.resolve })
  await thread.api.complain()
  expect(String(await reported.promise)).toContain('background work failed')
})

test('a thread that cannot start rejects with the cause', async () => {
  await expect(openThread({ ...options, workerData: { factor: null } })).rejects.toThrow('a factor is needed')
})

test('a thread that stands still is ended; its calls are told to ask again', async () => {
  thread = await openThread<Api>({ ...options, heartbeatTimeout: 200 })
  const calls = [thread.api.spin(), thread.api.double(1)]
  for (const call of await Promise.allSettled(calls)) {
    expect(call).toMatchObject({ status: 'rejected', reason: { reason: 'unavailable', retryAfter: 1 } })
  }
  expect(await thread.ended).toBeInstanceOf(StuckThread)
})

test('a thread that answers one call after another is left alone, however many wait', async () => {
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] })
  const heartbeatTimeout = 1_000
  const pass = (part: number) => vi.advanceTimersByTime(part * heartbeatTimeout)
  thread = await openThread<Api>({ ...options, heartbeatTimeout })
  const [first, second] = [new Int32Array(new SharedArrayBuffer(4)), new Int32Array(new SharedArrayBuffer(4))]
  const calls = [thread.api.block(first), thread.api.block(second)]
  pass(0.75)
  release(first)
  await calls[0]
  pass(0.75)
  release(second)
  expect(await Promise.allSettled(calls)).toMatchObject([{ status: 'fulfilled' }, { status: 'fulfilled' }])
})

function release(latch: Int32Array) {
  Atomics.store(latch, 0, 1)
  Atomics.notify(latch, 0)
}
