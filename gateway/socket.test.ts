// Frames are sent to a reader in batches, and no faster than they are read.
import { expect, test } from 'vitest'
import { createSocket, type RawSocket } from './socket.ts'

const turnOfLoop = () => new Promise((resolve) => setImmediate(resolve))

test('sends the frames of one turn of the event loop together, in order', async () => {
  const { raw, socket } = openLab()
  for (const frame of ['a', 'b', 'c']) socket.push(frame)
  expect(raw.batches).toEqual([])
  await turnOfLoop()
  expect(raw.batches).toEqual([['a', 'b', 'c']])
})

test('sends a large batch at once, and then lets other work run', async () => {
  const { raw, socket } = openLab()
  socket.push('a')
  expect(socket.room()).toBeNull()
  socket.push('b'.repeat(20_000))
  expect(raw.batches).toHaveLength(1)
  await socket.room()
  expect(socket.room()).toBeNull()
})

test('waits for a reader who is 64 KiB behind until it has caught up', async () => {
  const { raw, socket } = openLab()
  raw.held = 64 * 1024
  let isGoing = false
  const going = socket.room()?.then(() => {
    isGoing = true
  })
  socket.drained()
  await turnOfLoop()
  expect(isGoing).toBe(false)
  raw.held = 0
  socket.drained()
  await going
  expect(isGoing).toBe(true)
})

test('stops waiting when the reader leaves', async () => {
  const { raw, socket } = openLab()
  raw.held = 64 * 1024
  const going = socket.room()
  socket.push('a')
  socket.closed()
  await going
  await turnOfLoop()
  expect(raw.batches).toEqual([])
})

test('sends nothing on a socket that has dropped a frame', async () => {
  const { raw, socket } = openLab()
  raw.drops = 'b'
  for (const frame of ['a', 'b', 'c']) socket.push(frame)
  await turnOfLoop()
  expect(raw.batches).toEqual([['a', 'b']])
  expect(raw.isClosed).toBe(true)
  socket.push('d')
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
  return { raw, socket }
}
