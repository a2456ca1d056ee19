import { beforeEach, describe, expect, test } from 'vitest'
import { createSemaphore, requestLimits, type Semaphore } from './semaphore.ts'

const never = new AbortController().signal

test('no more than so many at once, in the order in which they came', async () => {
  const semaphore = createSemaphore({ max: 2 })
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
  const semaphore = createSemaphore({ max: 1 })
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
  const semaphore = createSemaphore({ max: 2 })
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

describe('requests', () => {
  let requests: Semaphore
  /** Those that have begun, in this order. */
  let begun: { name: string; answer: () => void }[]
  beforeEach(() => {
    requests = createSemaphore({ ...requestLimits, max: 32, maxOfGroup: 8 })
    begun = []
  })

  const ask = (project: string, name = project, signal?: AbortSignal) =>
    requests.run(project, () => new Promise<void>((answer) => begun.push({ name, answer })), signal)
  const flood = (project: string, size: number) =>
    Array.from({ length: size }, (_, number) => ask(project, `${project}${number}`).catch((error) => error))
  const settle = () => new Promise(setImmediate)
  const names = () => begun.map(({ name }) => name)
  async function answer(numbers: Iterable<number>) {
    for (const number of numbers) {
      begun[number]?.answer()
      await settle()
    }
  }

  test('a project has 8 under way and 100 that wait; the next is told to come again', async () => {
    const answers = flood('a', 110)
    const refused = { reason: 'unavailable', retryAfter: 1 }
    expect(await Promise.all(answers.slice(108))).toMatchObject([refused, refused])
    await settle()
    expect(begun).toHaveLength(8)
    await answer(Array(108).keys())
    expect(await Promise.all(answers.slice(0, 108))).toEqual(Array(108).fill(undefined))
  })

  test('a flood of one project leaves room for another', async () => {
    flood('a', 500)
    const other = ask('b')
    await settle()
    expect(names()).toContain('b')
    begun.at(-1)?.answer()
    await other
  })

  test('with no slot left, projects take turns, those with the fewest under way first', async () => {
    for (const project of 'abcd') flood(project, 10)
    flood('e', 2)
    await settle()
    expect(begun).toHaveLength(32)
    const [a, b, c, d] = [0, 8, 16, 24]
    await answer([a, b, c, d, a + 1, b + 1])
    expect(names().slice(32)).toEqual(['e0', 'e1', 'a8', 'b8', 'c8', 'd8'])
  })

  test('one whose caller leaves while it waits never begins', async () => {
    flood('a', 8)
    const leaving = new AbortController()
    const left = ask('a', 'left', leaving.signal)
    const last = ask('a', 'last')
    leaving.abort()
    const givenUp = { reason: 'unavailable', retryAfter: 1, message: 'It was given up before it began.' }
    await expect(left).rejects.toMatchObject(givenUp)
    await expect(ask('a', 'gone', leaving.signal)).rejects.toMatchObject(givenUp)
    begun[0]?.answer()
    await settle()
    begun.at(-1)?.answer()
    await last
    expect(names().slice(8)).toEqual(['last'])
  })
})
