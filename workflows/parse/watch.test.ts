import type { Worker } from 'node:worker_threads'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { createWatch } from './watch.ts'

const lookInterval = 250
const thread = 7

let clock = 0
beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] })
  vi.spyOn(performance, 'now').mockImplementation(() => clock)
})
afterEach(() => {
  vi.useRealTimers()
  vi.restoreAllMocks()
})

/** Watches a task at work on a thread that tells its processor time so. Answers how often the task was ended. */
function watchTask(cpuUsage: () => Promise<{ user: number; system: number }>) {
  const watch = createWatch(() => [{ threadId: thread, cpuUsage } as Worker], 5_000)
  let ends = 0
  const workedBy = new Int32Array([thread])
  const unwatch = watch(workedBy, () => {
    ends += 1
    unwatch()
  })
  return { ends: () => ends }
}

async function look(times: number, apart = lookInterval) {
  for (let done = 0; done < times; done++) {
    clock += apart
    await vi.advanceTimersByTimeAsync(lookInterval)
  }
}

test('a task is not ended because its process stood still', async () => {
  const { ends } = watchTask(async () => ({ user: 0, system: 0 }))
  await look(2)
  await look(1, 600_000)
  expect(ends()).toBe(0)
})

test('a task that waits for a processor is not ended, however long', async () => {
  const { ends } = watchTask(async () => ({ user: 0, system: 0 }))
  await look(1_000)
  expect(ends()).toBe(0)
})

test('one that takes too much processor time is ended', async () => {
  let user = 0
  const { ends } = watchTask(async () => ({ user, system: 0 }))
  await look(2)
  user = 5_001_000
  await look(1)
  expect(ends()).toBe(1)
})

test('one whose thread no longer tells its processor time is ended', async () => {
  const { ends } = watchTask(() => new Promise(() => {}))
  await look(200)
  expect(ends()).toBe(0)
  await look(50)
  expect(ends()).toBe(1)
})
