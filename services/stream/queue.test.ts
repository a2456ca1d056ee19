import { expect, test } from 'vitest'
import { createQueue } from './queue.ts'

async function collect(items: AsyncIterable<number>): Promise<number[]> {
  const seen: number[] = []
  for await (const item of items) seen.push(item)
  return seen
}

test('gives what was pushed before and what comes while it is waited for, in order', async () => {
  const queue = createQueue<number>()
  queue.push(1)
  queue.push(2)
  const seen = collect(queue.read())
  for (const item of [3, 4, 5]) {
    await new Promise((resolve) => setImmediate(resolve))
    queue.push(item)
  }
  queue.push(6)
  queue.end()
  expect(await seen).toEqual([1, 2, 3, 4, 5, 6])
})

test('counts what waits', async () => {
  const queue = createQueue<number>()
  const items = queue.read()
  for (let item = 0; item < 10; item++) queue.push(item)
  expect(queue.waiting()).toBe(10)
  await items.next()
  expect(queue.waiting()).toBe(9)
})

test.each([true, false])('an error comes behind the items, waited for: %s', async (isWaitedFor) => {
  const queue = createQueue<number>()
  const items = queue.read()
  queue.push(1)
  const first = items.next()
  const second = isWaitedFor ? items.next() : null
  queue.end(new Error('lost'))
  expect(await first).toEqual({ done: false, value: 1 })
  await expect(second ?? items.next()).rejects.toThrow('lost')
})

test('the first end counts, and lasts', async () => {
  const queue = createQueue<number>()
  queue.end()
  queue.end(new Error('late'))
  const items = queue.read()
  expect((await items.next()).done).toBe(true)
  expect((await items.next()).done).toBe(true)
})
