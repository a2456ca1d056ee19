import { expect, test } from 'vitest'
import { createSemaphore } from './semaphore.ts'

const never = new AbortController().signal

test('no more than so many at once, in the order in which they came', async () => {
  const semaphore = createSemaphore(2)
  const begun: number[] = []
  const ends = Array.from({ length: 5 }, () => Promise.withResolvers<void>())
  const all = ends.map((end, at) =>
    semaphore.run(
      'a',
      () => {
        begun.push(at)
        return end.promise
      },
      never,
    ),
  )
  await Promise.resolve()
  expect(begun).toEqual([0, 1])
  ends[1]!.resolve()
  await all[1]
  expect(begun).toEqual([0, 1, 2])
  for (const end of ends) end.resolve()
  await Promise.all(all)
  expect(begun).toEqual([0, 1, 2, 3, 4])
})

test('who gives up waiting takes no slot, and a failure frees one', async () => {
  const semaphore = createSemaphore(1)
  const first = Promise.withResolvers<void>()
  const stop = new AbortController()
  const failing = semaphore.run('a', () => first.promise, never)
  const gone = semaphore.run('a', async () => 'gone', stop.signal)
  const last = semaphore.run('a', async () => 'last', never)
  stop.abort(new Error('stopped'))
  await expect(gone).rejects.toThrow('stopped')
  first.reject(new Error('failed'))
  await expect(failing).rejects.toThrow('failed')
  expect(await last).toBe('last')
})

test('a group that asks for much does not hold up another: the one with the fewest under way is served next', async () => {
  const semaphore = createSemaphore(2)
  const begun: string[] = []
  const ends: (() => void)[] = []
  const come = (group: string) =>
    semaphore.run(
      group,
      () => {
        begun.push(group)
        return new Promise<void>((done) => ends.push(done))
      },
      never,
    )
  const all = ['much', 'much', 'much', 'much', 'little', 'other'].map(come)
  await Promise.resolve()
  expect(begun).toEqual(['much', 'much'])
  for (let at = 0; at < all.length; at++) {
    ends[at]!()
    await new Promise((done) => setImmediate(done))
  }
  expect(begun).toEqual(['much', 'much', 'little', 'much', 'other', 'much'])
  await Promise.all(all)
})
