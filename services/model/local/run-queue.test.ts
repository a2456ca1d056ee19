import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { ModelError } from '../model.ts'
import { createRunQueue, type Lane, type RunQueue } from './local-embedder.ts'

const runTime = 20

beforeEach(() => {
  vi.useFakeTimers()
})
afterEach(() => {
  vi.useRealTimers()
})

/** Runs end in the order in which the queue starts them. */
function openQueue() {
  const ended: string[] = []
  const queue: RunQueue = createRunQueue()
  const enter = (lane: Lane, name: string) =>
    queue(lane, async () => {
      await new Promise((resolve) => setTimeout(resolve, runTime))
      ended.push(name)
    })
  return { queue, ended, enter }
}

test('runs questions before passages of answers, and those before background work', async () => {
  const { ended, enter } = openQueue()
  const all = [
    enter('background', 'under way'),
    enter('background', 'background'),
    enter('passage', 'passage'),
    enter('question', 'question'),
  ]
  await vi.runAllTimersAsync()
  await Promise.all(all)
  expect(ended).toEqual(['under way', 'question', 'passage', 'background'])
})

test('starts a run when the previous one has ended', async () => {
  let running = 0
  let maxRunning = 0
  const queue = createRunQueue()
  const all = (['background', 'question', 'passage', 'question'] as const).map((lane) =>
    queue(lane, async () => {
      running += 1
      maxRunning = Math.max(maxRunning, running)
      await new Promise((resolve) => setTimeout(resolve, runTime))
      running -= 1
    }),
  )
  await vi.runAllTimersAsync()
  await Promise.all(all)
  expect(maxRunning).toBe(1)
})

test('starts background work when there was no question for a while', async () => {
  const { ended, enter } = openQueue()
  const first = enter('question', 'question')
  await vi.advanceTimersByTimeAsync(runTime)
  await first
  const background = enter('background', 'background')
  await vi.advanceTimersByTimeAsync(400)
  const again = enter('question', 'again')
  await vi.advanceTimersByTimeAsync(runTime)
  await again
  expect(ended).toEqual(['question', 'again'])
  await vi.advanceTimersByTimeAsync(500 + runTime)
  await background
  expect(ended).toEqual(['question', 'again', 'background'])
})

test.each([
  ['with pauses', 50],
  ['faster than they are served', 10],
])('runs background work at least every two seconds among endless questions, %s', async (_, pause) => {
  const { ended, enter } = openQueue()
  const background = Array.from({ length: 100 }, () => enter('background', 'background'))
  for (let time = 0; time < 10_000; time += pause) {
    enter('question', 'question')
    await vi.advanceTimersByTimeAsync(pause)
  }
  const done = ended.filter((name) => name === 'background').length
  expect(done).toBeGreaterThanOrEqual(4)
  expect(done).toBeLessThanOrEqual(6)
  await vi.runAllTimersAsync()
  await Promise.all(background)
})

test('runs background work without pauses if there is nothing else', async () => {
  const { ended, enter } = openQueue()
  for (let at = 0; at < 10; at++) enter('background', 'background')
  await vi.advanceTimersByTimeAsync(10 * runTime)
  expect(ended).toHaveLength(10)
})

test('rejects a failing run, and starts the next one', async () => {
  const { queue, ended, enter } = openQueue()
  const failing = queue('question', () => Promise.reject(new Error('no')))
  const next = enter('passage', 'passage')
  await expect(failing).rejects.toEqual(new ModelError('refused', new Error('no')))
  await vi.runAllTimersAsync()
  await next
  expect(ended).toEqual(['passage'])
})
