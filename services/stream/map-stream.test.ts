import { expect, test, vi } from 'vitest'
import { type Layer, mapStream } from './map-stream.ts'

async function* numbers(fault?: Error) {
  yield 1
  yield 2
  if (fault) throw fault
}

async function collect(items: AsyncIterable<unknown>): Promise<unknown[]> {
  const seen: unknown[] = []
  for await (const item of items) seen.push(item)
  return seen
}

const double: Layer<number, number> = { map: (item) => item * 2 }
const name: Layer<number, string> = { map: (item) => `no. ${item}` }

test('items pass the layers from within, and each layer learns of the end once', async () => {
  const ended = [vi.fn(), vi.fn()]
  const inner = mapStream(numbers(), { ...double, onEnd: ended[0]! })
  expect(await collect(mapStream(inner, { ...name, onEnd: ended[1]! }))).toEqual(['no. 2', 'no. 4'])
  for (const end of ended) expect(end).toHaveBeenCalledOnce()
})

test('an error is seen from within, after the items before it', async () => {
  const ended = vi.fn()
  const why = (word: string) => (error: unknown) => new Error(`${word} ${(error as Error).message}`)
  const inner = mapStream(numbers(new Error('lost')), { ...double, mapError: why('inner') })
  const outer = mapStream(inner, { ...name, mapError: why('outer'), onEnd: ended })[Symbol.asyncIterator]()
  expect((await outer.next()).value).toBe('no. 2')
  expect((await outer.next()).value).toBe('no. 4')
  await expect(outer.next()).rejects.toThrow('outer inner lost')
  expect(ended).toHaveBeenCalledOnce()
})

test('a layer that fails ends the stream', async () => {
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

test('who stops reading leaves the source', async () => {
  const left = vi.fn()
  const ended = vi.fn()
  async function* source() {
    try {
      yield* numbers()
    } finally {
      left()
    }
  }
  for await (const _ of mapStream(mapStream(source(), double), { ...name, onEnd: ended })) break
  expect(left).toHaveBeenCalledOnce()
  expect(ended).toHaveBeenCalledOnce()
})
