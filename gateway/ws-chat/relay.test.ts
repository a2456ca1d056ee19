// Partial frames are paced for older widgets.
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { createOldPacing } from './relay.ts'

describe('pacing', () => {
  beforeEach(() => void vi.useFakeTimers())
  afterEach(() => void vi.useRealTimers())

  const here = new AbortController().signal

  it.each([
    [[], []],
    [['a'], []],
    [
      ['a', 'b'],
      ['a', 'b'],
    ],
    [
      ['a', 'b', 'c'],
      ['a', 'b', 'c'],
    ],
  ])('never sends a single partial frame: of %j it sends %j', (frames, sent) => {
    const pushed: string[] = []
    const pacing = createOldPacing((frame) => pushed.push(frame))
    for (const frame of frames) pacing.partial(frame)
    expect(pushed).toEqual(sent)
  })

  it('pauses a little over 200 ms after the last partial frame', async () => {
    const pacing = createOldPacing(() => {})
    for (const frame of ['a', 'b']) pacing.partial(frame)
    await vi.advanceTimersByTimeAsync(50)
    pacing.partial('c')
    let isRested = false
    const resting = pacing.rest(here).then(() => {
      isRested = true
    })
    await vi.advanceTimersByTimeAsync(200)
    expect(isRested).toBe(false)
    await vi.advanceTimersByTimeAsync(100)
    await resting
    await pacing.rest(here)
  })

  it('does not pause if the reader has left, or nothing partial was sent', async () => {
    const left = new AbortController()
    const pacing = createOldPacing(() => {})
    await pacing.rest(here)
    for (const frame of ['a', 'b']) pacing.partial(frame)
    const resting = pacing.rest(left.signal)
    left.abort()
    await resting
  })
})
