import { expect, test, vi } from 'vitest'
import { lazyStream } from './lazy-stream.ts'

async function* numbers(whenLeft = () => {}) {
  try {
    yield 1
    yield 2
  } finally {
    whenLeft()
  }
}

test('opens when the first item is asked for, and once', async () => {
  const open = vi.fn(async () => numbers())
  const stream = lazyStream(open)
  expect(open).not.toHaveBeenCalled()
  const seen: number[] = []
  for await (const item of stream) seen.push(item)
  expect(seen).toEqual([1, 2])
  expect(open).toHaveBeenCalledOnce()
})

test('what opening throws is what reading throws', async () => {
  const iterator = lazyStream(() => Promise.reject(new Error('closed')))[Symbol.asyncIterator]()
  await expect(iterator.next()).rejects.toThrow('closed')
})

test('who stops reading leaves what was opened, also while it opens', async () => {
  const left = vi.fn()
  for await (const _ of lazyStream(async () => numbers(left))) break
  expect(left).toHaveBeenCalledOnce()

  const iterator = lazyStream(async () => numbers(left))[Symbol.asyncIterator]()
  const first = iterator.next()
  await iterator.return?.()
  expect(await first).toEqual({ done: false, value: 1 })
  expect(left).toHaveBeenCalledTimes(2)
})

test('who never reads opens nothing', async () => {
  const open = vi.fn(async () => numbers())
  const iterator = lazyStream(open)[Symbol.asyncIterator]()
  expect(await iterator.return?.()).toEqual({ done: true, value: undefined })
  expect(open).not.toHaveBeenCalled()
})
