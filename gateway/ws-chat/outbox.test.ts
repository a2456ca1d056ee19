// Frames leave together, a slow reader is waited for, and nothing follows a frame that was dropped.
import { expect, it } from 'vitest'
import { createSocket, type RawSocket } from '../socket.ts'
import { createOutbox } from './relay.ts'

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
