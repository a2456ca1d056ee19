import { expect, test } from 'vitest'
import { type Clock, createPoliteness, maxWaitMs, readRetryAfter } from './politeness.ts'

/** A clock that the test advances. */
function createClock(): Clock & { pass(ms: number): Promise<void> } {
  let time = 0
  const waits: { until: number; done(): void }[] = []
  return {
    now: () => time,
    wait: (ms) => new Promise((done) => waits.push({ until: time + ms, done })),
    async pass(ms) {
      await settled()
      time += ms
      for (const wait of waits.filter(({ until }) => until <= time)) wait.done()
      await settled()
    },
  }
}

const settled = () => new Promise(setImmediate)

/** Enters repeatedly, and records the times. */
function visitors(clock: Clock, enter: () => Promise<void>, count: number): number[] {
  const times: number[] = []
  for (let at = 0; at < count; at++) enter().then(() => times.push(clock.now()))
  return times
}

test('limits the connections of a host, and admits the next in order of arrival', async () => {
  const politeness = createPoliteness(2, createClock())
  const order: number[] = []
  const enter = (number: number) => politeness.enter('h').then(() => order.push(number))
  for (const number of [1, 2, 3, 4]) enter(number)
  await politeness.enter('other')
  await settled()
  expect(order).toEqual([1, 2])
  politeness.leave('h')
  await settled()
  expect(order).toEqual([1, 2, 3])
  politeness.leave('h')
  await settled()
  expect(order).toEqual([1, 2, 3, 4])
})

test('spaces requests by the pace, however many connections are free', async () => {
  const clock = createClock()
  const politeness = createPoliteness(8, clock)
  politeness.pace('h', 1_000)
  const times = visitors(clock, () => politeness.enter('h'), 3)
  for (let step = 0; step < 6; step++) await clock.pass(500)
  expect(times).toEqual([0, 1_000, 2_000])
})

test('delays everyone during a pause, for at most five minutes', async () => {
  const clock = createClock()
  const politeness = createPoliteness(8, clock)
  politeness.pause('h', 3_600_000)
  const times = visitors(clock, () => politeness.enter('h'), 2)
  await clock.pass(maxWaitMs - 1)
  expect(times).toEqual([])
  await clock.pass(1)
  expect(times).toEqual([maxWaitMs, maxWaitMs])
})

test('extends the wait of those already waiting', async () => {
  const clock = createClock()
  const politeness = createPoliteness(8, clock)
  politeness.pause('h', 1_000)
  const times = visitors(clock, () => politeness.enter('h'), 1)
  politeness.pause('h', 2_000)
  await clock.pass(1_000)
  expect(times).toEqual([])
  await clock.pass(1_000)
  expect(times).toEqual([2_000])
})

test('ends an aborted wait at once, and admits the next', async () => {
  const politeness = createPoliteness(1, createClock())
  await politeness.enter('h')
  const stop = new AbortController()
  const stopped = politeness.enter('h', stop.signal)
  let isIn = false
  politeness.enter('h').then(() => {
    isIn = true
  })
  stop.abort(new Error('stopped'))
  await expect(stopped).rejects.toThrow('stopped')
  await expect(politeness.enter('h', stop.signal)).rejects.toThrow('stopped')
  politeness.leave('h')
  await settled()
  expect(isIn).toBe(true)
})

test.each([
  ['120', 120_000],
  [' 0 ', 0],
  ['Thu, 01 Jan 1970 00:01:40 GMT', 90_000],
  ['Thu, 01 Jan 1970 00:00:00 GMT', 0],
  ['soon', null],
  ['-1', null],
  ['', null],
  [null, null],
])('Retry-After %j', (header, expected) => {
  expect(readRetryAfter(header, 10_000)).toBe(expected)
})

test('a request may use fewer connections and a longer delay than its host', async () => {
  const clock = createClock()
  const politeness = createPoliteness(8, clock)
  const strict = visitors(clock, () => politeness.enter('h', undefined, { maxConnections: 2 }), 3)
  await settled()
  expect(strict).toHaveLength(2)
  politeness.leave('h')
  await settled()
  expect(strict).toHaveLength(3)
  const slow = visitors(clock, () => politeness.enter('s', undefined, { delayMs: 1_000 }), 3)
  for (let second = 0; second < 3; second++) await clock.pass(1_000)
  expect(slow).toEqual([0, 1_000, 2_000])
  politeness.pace('p', 3_000)
  const both = visitors(clock, () => politeness.enter('p', undefined, { delayMs: 1_000 }), 2)
  for (let second = 0; second < 3; second++) await clock.pass(1_000)
  expect(both[1]! - both[0]!).toBe(3_000)
})
