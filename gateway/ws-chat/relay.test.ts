// Frames on their way to a reader: together, no faster than they are read, and paced for older widgets.
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { createSocket, type RawSocket } from '../socket.ts'
import { createOldPacing, createOutbox } from './relay.ts'

describe('the outbox', () => {
  const turnOfLoop = () => new Promise((resolve) => setImmediate(resolve))

  it('sends what one turn of the loop brings together, in its order', async () => {
    const { raw, outbox } = openLab()
    for (const frame of ['a', 'b', 'c']) outbox.push(frame)
    expect(raw.batches).toEqual([])
    await turnOfLoop()
    expect(raw.batches).toEqual([['a', 'b', 'c']])
  })

  it('sends much at once, and then lets others have their turn', async () => {
    const { raw, outbox } = openLab()
    outbox.push('a')
    expect(outbox.room()).toBeNull()
    outbox.push('b'.repeat(20_000))
    expect(raw.batches).toHaveLength(1)
    await outbox.room()
    expect(outbox.room()).toBeNull()
  })

  it('waits for a reader who is 64 KiB behind, until it has caught up', async () => {
    const { raw, outbox } = openLab()
    raw.held = 64 * 1024
    let isGoing = false
    const going = outbox.room()?.then(() => {
      isGoing = true
    })
    outbox.drain()
    await turnOfLoop()
    expect(isGoing).toBe(false)
    raw.held = 0
    outbox.drain()
    await going
    expect(isGoing).toBe(true)
  })

  it('waits for nobody who is gone', async () => {
    const { raw, outbox } = openLab()
    raw.held = 64 * 1024
    const going = outbox.room()
    outbox.push('a')
    outbox.close()
    await going
    await turnOfLoop()
    expect(raw.batches).toEqual([])
  })

  it('never sends on a socket again that has dropped a frame', async () => {
    const { raw, outbox } = openLab()
    raw.drops = 'b'
    for (const frame of ['a', 'b', 'c']) outbox.push(frame)
    await turnOfLoop()
    expect(raw.batches).toEqual([['a', 'b']])
    expect(raw.isClosed).toBe(true)
    outbox.push('d')
    await turnOfLoop()
    expect(raw.batches).toEqual([['a', 'b']])
  })

  function openLab() {
    const raw: RawSocket & { batches: string[][]; held: number; drops: string; isClosed: boolean } = {
      batches: [],
      held: 0,
      drops: '',
      isClosed: false,
      send(text: string) {
        if (raw.isClosed) throw new Error('a closed socket of uWebSockets.js throws')
        raw.batches.at(-1)!.push(text)
        return text === raw.drops ? 2 : 1
      },
      getBufferedAmount: () => raw.held,
      cork(write: () => void) {
        raw.batches.push([])
        write()
      },
      end: () => raw.close(),
      close() {
        raw.isClosed = true
        socket.closed()
      },
    }
    const socket = createSocket(raw)
    return { raw, outbox: createOutbox(socket) }
  }
})

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
  ])('never sends one partial frame alone: of %j it sends %j', (frames, sent) => {
    const pushed: string[] = []
    const pacing = createOldPacing((frame) => pushed.push(frame))
    for (const frame of frames) pacing.partial(frame)
    expect(pushed).toEqual(sent)
  })

  it('rests 200 ms and a little after the last partial frame', async () => {
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

  it('rests for nobody who is gone, and where nothing partial was sent', async () => {
    const gone = new AbortController()
    const pacing = createOldPacing(() => {})
    await pacing.rest(here)
    for (const frame of ['a', 'b']) pacing.partial(frame)
    const resting = pacing.rest(gone.signal)
    gone.abort()
    await resting
  })
})
