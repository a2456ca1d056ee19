// Resource limits of open sockets: sockets per network, size of frames, and memory of unfinished frames.
import { afterEach, beforeEach, expect, it } from 'vitest'
import { openChat } from './gateway/chat-client.ts'
import { type ChatLab, openChatLab } from './gateway/chat-lab.ts'
import { openRawReader } from './gateway/raw-reader.ts'
import { openRawSocket } from './gateway/raw-socket.ts'

const path = '/ws/messages/open/'
const from = (address: string) => ({ 'x-forwarded-for': address })

let lab: ChatLab
beforeEach(async () => {
  lab = await openChatLab()
})
afterEach(() => lab.close())

it('limits a network to 200 sockets, an IPv6 network by its /64', async () => {
  const opened = await Promise.all(
    Array.from({ length: 200 }, (_, n) => openRawSocket(lab.port, path, from(`2001:db8:1:2::${n}`))),
  )
  for (const { answer } of opened) expect(answer).toMatch(/^HTTP\/1\.1 101 /)
  const { answer, socket } = await openRawSocket(lab.port, path, from('2001:db8:1:2:ffff::1'))
  expect(answer).toMatch(/^HTTP\/1\.1 429 /)
  expect(answer).toMatch(/\r\nretry-after: 60\r\n/i)
  socket.destroy()

  const neighbour = await openChat(lab.socketUrl(path), from('2001:db8:1:3::1'))
  expect(await neighbour.ask({ message: 'a b' })).toMatchObject({ stopReason: 'stop' })

  // A closed socket frees its place.
  opened[0]!.socket.destroy()
  await expect
    .poll(async () => (await openRawReader(lab.port, path, from('2001:db8:1:2::1'))).status)
    .toContain('101')
})

it('limits the sockets of a gateway across networks', async () => {
  const small = await openChatLab({ maxSockets: 3 })
  const open = (at: number) => openRawSocket(small.port, path, from(`9.9.9.${at}`))
  const opened = await Promise.all([1, 2, 3].map(open))
  for (const { answer } of opened) expect(answer).toMatch(/^HTTP\/1\.1 101 /)
  const { answer, socket } = await open(4)
  expect(answer).toMatch(/^HTTP\/1\.1 503 /)
  socket.destroy()
  opened[0]!.socket.destroy()
  await expect
    .poll(async () => (await openRawReader(small.port, path, from('9.9.9.4'))).status)
    .toContain('101')
  await small.close()
})

it('closes with a reason at frames of 64 to 128 KiB and drops larger ones at the frame header', async () => {
  const chat = await openChat(lab.socketUrl(path), from('9.9.9.1'))
  const message = { message: 'a b', padding: '' }
  message.padding = 'x'.repeat(64 * 1024 - JSON.stringify(message).length)
  expect(await chat.ask(message)).toMatchObject({ stopReason: 'stop' })
  for (const size of [64 * 1024 + 1, 128 * 1024]) {
    const polite = await openChat(lab.socketUrl(path), from('9.9.9.1'))
    polite.send('x'.repeat(size))
    expect(await polite.closed).toMatchObject({ code: 1009, reason: expect.stringMatching(/64 KiB/) })
  }

  const { socket } = await openRawSocket(lab.port, path, from('9.9.9.2'))
  const closed = new Promise((resolve) => socket.on('close', resolve))
  const head = Buffer.from([0x81, 0x80 | 127, 0, 0, 0, 0, 0, 2, 0, 1, 0, 0, 0, 0])
  // The frame header alone is enough, without any payload.
  socket.write(head)
  await closed
  expect(await chat.ask({ message: 'a b' })).toMatchObject({ stopReason: 'stop' })
})

it('limits unfinished frames of a network to 25 MiB', async () => {
  const before = process.memoryUsage().rss
  const opened = await Promise.all(
    Array.from({ length: 1_500 }, () => openRawSocket(lab.port, path, from('9.9.9.3'))),
  )
  const head = Buffer.from([0x81, 0x80 | 127, 0, 0, 0, 0, 0, 2, 0, 0, 0, 0, 0, 0])
  const part = Buffer.concat([head, Buffer.alloc(128 * 1024 - 10, 'x')])
  await Promise.all(
    opened.map(({ socket }) => {
      socket.on('error', () => {})
      return new Promise((resolve) => socket.write(part, resolve))
    }),
  )
  expect((await fetch(`${lab.url}/healthz`)).status).toBe(200)
  expect((process.memoryUsage().rss - before) / (1024 * 1024)).toBeLessThan(100)
  for (const { socket } of opened) socket.destroy()
})
