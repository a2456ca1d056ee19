import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { createOnDemand, type OnDemand } from './on-demand.ts'

let log: string[]
let fails: boolean
let onDemand: OnDemand<number>

beforeEach(() => {
  vi.useFakeTimers()
  log = []
  fails = false
  let opened = 0
  onDemand = createOnDemand({
    async open() {
      if (fails) throw new Error('away')
      opened += 1
      log.push(`open ${opened}`)
      return opened
    },
    async close(resource) {
      log.push(`close ${resource}`)
    },
    idleTimeout: 1_000,
    report: (error) => log.push(String(error)),
  })
})
afterEach(() => void vi.useRealTimers())

const use = () => onDemand.use(async (resource) => resource)

test('nothing is open before its first user, and users share one', async () => {
  expect(log).toEqual([])
  expect(await Promise.all([use(), use()])).toEqual([1, 1])
  expect(log).toEqual(['open 1'])
})

test('it is closed when it has had no user for a while, and opened again by the next', async () => {
  await use()
  await vi.advanceTimersByTimeAsync(999)
  await use()
  await vi.advanceTimersByTimeAsync(999)
  expect(log).toEqual(['open 1'])
  await vi.advanceTimersByTimeAsync(1)
  expect(log).toEqual(['open 1', 'close 1'])
  expect(await use()).toBe(2)
})

test('it stays open for a user that takes long', async () => {
  const work = Promise.withResolvers<void>()
  const used = onDemand.use(() => work.promise)
  await use()
  await vi.advanceTimersByTimeAsync(10_000)
  expect(log).toEqual(['open 1'])
  work.resolve()
  await used
  await vi.advanceTimersByTimeAsync(1_000)
  expect(log).toEqual(['open 1', 'close 1'])
})

test('a user is told why it cannot be opened, and the next one tries again', async () => {
  fails = true
  await expect(use()).rejects.toThrow('away')
  fails = false
  expect(await use()).toBe(1)
})

test('closing closes what is open, and it stays closed', async () => {
  await use()
  await onDemand.close()
  await vi.advanceTimersByTimeAsync(10_000)
  await expect(use()).rejects.toThrow('closed for good')
  expect(log).toEqual(['open 1', 'close 1'])
})

test('closing what nobody used opens nothing', async () => {
  await onDemand.close()
  expect(log).toEqual([])
})
