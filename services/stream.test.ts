import { expect, test, vi } from 'vitest'
import { createQueue, lazyStream, mapStream } from './stream.ts'

async function* numbers(fault?: Error) {
  yield 1
  yield 2
  if (fault) throw fault
}

async function* leavable(whenLeft: () => void) {
  try {
    yield* numbers()
  } finally {
    whenLeft()
  }
}

async function collect(items: AsyncIterable<unknown>): Promise<unknown[]> {
  const seen: unknown[] = []
  for await (const item of items) seen.push(item)
  return seen
}

const double = { map: (item: number) => item * 2 }
const name = { map: (item: number) => `no. ${item}` }

test('maps items through the layers from the inside, and calls each onEnd once', async () => {
  const ended = [vi.fn(), vi.fn()]
  const inner = mapStream(numbers(), { ...double, onEnd: ended[0]! })
  expect(await collect(mapStream(inner, { ...name, onEnd: ended[1]! }))).toEqual(['no. 2', 'no. 4'])
  for (const end of ended) expect(end).toHaveBeenCalledOnce()
})

test('maps an error from the inside, after the items before it', async () => {
  const ended = vi.fn()
  const why = (word: string) => (error: unknown) => new Error(`${word} ${(error as Error).message}`)
  const inner = mapStream(numbers(new Error('lost')), { ...double, mapError: why('inner') })
  const outer = mapStream(inner, { ...name, mapError: why('outer'), onEnd: ended })[Symbol.asyncIterator]()
  expect((await outer.next()).value).toBe('no. 2')
  expect((await outer.next()).value).toBe('no. 4')
  await expect(outer.next()).rejects.toThrow('outer inner lost')
  expect(ended).toHaveBeenCalledOnce()
})

test('ends the stream if a layer fails', async () => {
  const ended = vi.fn()
  const failing = mapStream(numbers(), {
    map() {
      throw new Error('no number')
    },
    onEnd: ended,
  })
  await expect(collect(failing)).rejects.toThrow('no number')
  expect(ended).toHaveBeenCalledOnce()
})

test('closes the source when the reader stops', async () => {
  const left = vi.fn()
  const ended = vi.fn()
  for await (const _ of mapStream(mapStream(leavable(left), double), { ...name, onEnd: ended })) break
  expect(left).toHaveBeenCalledOnce()
  expect(ended).toHaveBeenCalledOnce()
})

test('opens on the first read, and once', async () => {
  const open = vi.fn(async () => numbers())
  const stream = lazyStream(open)
  expect(open).not.toHaveBeenCalled()
  const seen: number[] = []
  for await (const item of stream) seen.push(item)
  expect(seen).toEqual([1, 2])
  expect(open).toHaveBeenCalledOnce()
})

test('throws the error of opening to the reader', async () => {
  const iterator = lazyStream(() => Promise.reject(new Error('closed')))[Symbol.asyncIterator]()
  await expect(iterator.next()).rejects.toThrow('closed')
})

test('closes what was opened when the reader stops, even while it opens', async () => {
  const left = vi.fn()
  for await (const _ of lazyStream(async () => leavable(left))) break
  expect(left).toHaveBeenCalledOnce()

  const iterator = lazyStream(async () => leavable(left))[Symbol.asyncIterator]()
  const first = iterator.next()
  await iterator.return?.()
  expect(await first).toEqual({ done: false, value: 1 })
  expect(left).toHaveBeenCalledTimes(2)
})

test('opens nothing without a read', async () => {
  const open = vi.fn(async () => numbers())
  const iterator = lazyStream(open)[Symbol.asyncIterator]()
  expect(await iterator.return?.()).toEqual({ done: true, value: undefined })
  expect(open).not.toHaveBeenCalled()
})

test('returns items pushed before and during reads, in order', async () => {
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

test('counts waiting items', async () => {
  const queue = createQueue<number>()
  const items = queue.read()
  for (let item = 0; item < 10; item++) queue.push(item)
  expect(queue.waiting()).toBe(10)
  await items.next()
  expect(queue.waiting()).toBe(9)
})

test.each([true, false])('throws an error after the items, with a read waiting: %s', async (isWaitedFor) => {
  const queue = createQueue<number>()
  const items = queue.read()
  queue.push(1)
  const first = items.next()
  const second = isWaitedFor ? items.next() : null
  queue.end(new Error('lost'))
  expect(await first).toEqual({ done: false, value: 1 })
  await expect(second ?? items.next()).rejects.toThrow('lost')
})

test('keeps the first end', async () => {
  const queue = createQueue<number>()
  queue.end()
  queue.end(new Error('late'))
  const items = queue.read()
  expect((await items.next()).done).toBe(true)
  expect((await items.next()).done).toBe(true)
})
