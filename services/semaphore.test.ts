import { beforeEach, describe, expect, test } from 'vitest'
import { createSemaphore, requestLimits, type Semaphore } from './semaphore.ts'

const never = new AbortController().signal

test('runs a limited number at once, in order of arrival', async () => {
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

test('gives no slot to a call that was aborted, and frees the slot of a failed call', async () => {
  const semaphore = createSemaphore({ max: 1 })
  const first = Promise.withResolvers<void>()
  const stop = new AbortController()
  const failing = semaphore.run('a', () => first.promise, never)
  const aborted = semaphore.run('a', async () => 'aborted', stop.signal)
  const last = semaphore.run('a', async () => 'last', never)
  stop.abort(new Error('stopped'))
  await expect(aborted).rejects.toThrow('stopped')
  first.reject(new Error('failed'))
  await expect(failing).rejects.toThrow('failed')
  expect(await last).toBe('last')
})

test('starts calls of the group with the fewest running next', async () => {
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
  /** Calls that have started, in order. */
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

  test('runs 8 calls per project, queues 100, and rejects the next with a time to retry', async () => {
    const answers = flood('a', 110)
    const refused = { reason: 'unavailable', retryAfter: 1 }
    expect(await Promise.all(answers.slice(108))).toMatchObject([refused, refused])
    await settle()
    expect(begun).toHaveLength(8)
    await answer(Array(108).keys())
    expect(await Promise.all(answers.slice(0, 108))).toEqual(Array(108).fill(undefined))
  })

  test('leaves room for other projects when one floods', async () => {
    flood('a', 500)
    const other = ask('b')
    await settle()
    expect(names()).toContain('b')
    begun.at(-1)?.answer()
    await other
  })

  test('takes turns among projects without a free slot, those with the fewest running first', async () => {
    for (const project of 'abcd') flood(project, 10)
    flood('e', 2)
    await settle()
    expect(begun).toHaveLength(32)
    const [a, b, c, d] = [0, 8, 16, 24]
    await answer([a, b, c, d, a + 1, b + 1])
    expect(names().slice(32)).toEqual(['e0', 'e1', 'a8', 'b8', 'c8', 'd8'])
  })

  test('never starts a waiting call whose caller left', async () => {
    flood('a', 8)
    const leaving = new AbortController()
    const left = ask('a', 'left', leaving.signal)
    const last = ask('a', 'last')
    leaving.abort()
    const givenUp = { reason: 'unavailable', retryAfter: 1, message: 'The caller left before it began.' }
    await expect(left).rejects.toMatchObject(givenUp)
    await expect(ask('a', 'aborted', leaving.signal)).rejects.toMatchObject(givenUp)
    begun[0]?.answer()
    await settle()
    begun.at(-1)?.answer()
    await last
    expect(names().slice(8)).toEqual(['last'])
  })
})
