// Slow readers, readers who disconnect, unknown paths, and shutdown.
import { afterAll, describe, expect, it } from 'vitest'
import { openChat, withProgress } from './gateway/chat-client.ts'
import { final, openChatLab, token } from './gateway/chat-lab.ts'
import { openRawReader } from './gateway/raw-reader.ts'

const path = '/ws/messages/open/'

const lab = await openChatLab()
afterAll(() => lab.close())

describe('backpressure', () => {
  it('suspends the turn of a slow reader while others are served', async () => {
    const piece = 'x'.repeat(10_000)
    const pieces = 2_000
    let pulled = 0
    lab.scripts.much = async function* () {
      for (; pulled < pieces; pulled++) yield token(piece, pulled === 0)
      yield final('much')
    }
    const slow = await openRawReader(lab.port, path)
    slow.pause()
    slow.send(JSON.stringify(withProgress('much', 'slow')))
    const quick = await openChat(lab.socketUrl(path))
    for (let turn = 0; turn < 5; turn++) {
      expect(await quick.ask(withProgress('one two three', `t${turn}`))).toMatchObject({ stopReason: 'stop' })
    }
    // Of 20 MB, only the kernel's buffers and 64 KiB of Lectern's are filled.
    expect(pulled).toBeLessThan(pieces / 2)
    slow.resume()
    await slow.saw('"stopReason":"stop"')
    expect(pulled).toBe(pieces)
    expect(slow.read()).toBeGreaterThan(piece.length * pieces)
    slow.vanish()
    quick.close()
  })

  it('ends the turn of a slow reader who disconnects', async () => {
    const aborted = Promise.withResolvers<void>()
    lab.scripts.endless = async function* (_request, signal) {
      signal.addEventListener('abort', () => aborted.resolve())
      while (!signal.aborted) yield token('x'.repeat(10_000))
    }
    const slow = await openRawReader(lab.port, path)
    slow.pause()
    slow.send(JSON.stringify(withProgress('endless', 'slow')))
    await openChat(lab.socketUrl(path)).then((other) => other.ask(withProgress('one two', 'r')))
    slow.vanish()
    await aborted.promise
  })
})

it.each(['with a close frame', 'without'])('a disconnect %s stops the turn in the core', async (how) => {
  const aborted = Promise.withResolvers<void>()
  lab.scripts[how] = async function* (_request, signal) {
    yield token('a ', true)
    await new Promise((resolve) => signal.addEventListener('abort', resolve))
    aborted.resolve()
    yield token('b')
  }
  const reader = await openRawReader(lab.port, path)
  reader.send(JSON.stringify(withProgress(how, 'r')))
  await reader.saw('"message":"a "')
  if (how === 'without') reader.vanish()
  else {
    const chat = await openChat(lab.socketUrl(path))
    chat.send(withProgress(how, 'r'))
    await chat.next()
    chat.close()
    await chat.closed
  }
  await aborted.promise
  reader.vanish()
})

it('rejects other paths below /ws/', async () => {
  for (const other of [
    '/ws/',
    '/ws/messages/',
    '/ws/messages/a/b/',
    '/ws/messages/chat/a/b/',
    '/ws/other/a/',
  ]) {
    expect((await openRawReader(lab.port, other)).status, other).toContain('404')
  }
})

it('closes sockets with 1001 at shutdown and waits until the core has written the turn', async () => {
  const other = await openChatLab()
  let isWritten = false
  other.scripts.long = async function* (_request, signal) {
    yield token('a ', true)
    await new Promise((resolve) => signal.addEventListener('abort', resolve))
    await new Promise((resolve) => setImmediate(resolve))
    isWritten = true
    yield final('a')
  }
  const [idle, chatting] = await Promise.all([
    openChat(other.socketUrl(path)),
    openChat(other.socketUrl(path)),
  ])
  chatting.send(withProgress('long', 'r'))
  await chatting.next()
  const closing = other.close()
  expect(await idle.closed).toMatchObject({ code: 1001 })
  expect(await chatting.closed).toMatchObject({ code: 1001 })
  await closing
  expect(isWritten).toBe(true)
})
