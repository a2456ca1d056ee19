import { beforeEach, expect, test } from 'vitest'
import { createSearchQueue, type SearchQueue } from './search-queue.ts'

let queue: SearchQueue
/** Searches on the thread, in the order in which they came there. */
let sent: { name: string; answer: () => void }[]
beforeEach(() => {
  queue = createSearchQueue()
  sent = []
})

async function ask(project: string, name = project, signal?: AbortSignal) {
  const leave = await queue.enter(project, signal)
  await new Promise<void>((answer) => sent.push({ name, answer }))
  leave()
}

const flood = (project: string, size: number) =>
  Array.from({ length: size }, (_, number) => ask(project, `${project}${number}`).catch((error) => error))
const settle = () => new Promise(setImmediate)
const names = () => sent.map(({ name }) => name)

test('a project has 8 searches on the thread and 100 that wait; the next is told to come again', async () => {
  const answers = flood('a', 110)
  const refused = { reason: 'unavailable', retryAfter: 1 }
  expect(await Promise.all(answers.slice(108))).toMatchObject([refused, refused])
  await settle()
  expect(sent).toHaveLength(8)
  for (let number = 0; number < 108; number++) {
    sent[number]?.answer()
    await settle()
  }
  expect(await Promise.all(answers.slice(0, 108))).toEqual(Array(108).fill(undefined))
})

test('a flood of one project leaves room for another', async () => {
  flood('a', 500)
  const other = ask('b')
  await settle()
  expect(names()).toContain('b')
  sent.at(-1)?.answer()
  await other
})

test('with the thread full, projects take turns', async () => {
  for (const project of 'abcd') flood(project, 10)
  flood('e', 2)
  await settle()
  expect(sent).toHaveLength(32)
  for (let number = 0; number < 4; number++) {
    sent[number]?.answer()
    await settle()
  }
  expect(names().slice(32)).toEqual(['a8', 'e0', 'a9', 'e1'])
})

test('a search whose caller leaves while it waits never reaches the thread', async () => {
  flood('a', 8)
  const leaving = new AbortController()
  const left = ask('a', 'left', leaving.signal)
  const last = ask('a', 'last')
  leaving.abort()
  await expect(left).rejects.toMatchObject({ reason: 'unavailable' })
  await expect(ask('a', 'gone', leaving.signal)).rejects.toMatchObject({ reason: 'unavailable' })
  sent[0]?.answer()
  await settle()
  sent.at(-1)?.answer()
  await last
  expect(names().slice(8)).toEqual(['last'])
})
