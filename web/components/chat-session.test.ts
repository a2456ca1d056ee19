// A conversation over a socket that the test plays: when it opens, what it sends, and what is read again.
import { describe, expect, test } from 'vitest'
import { type ApiCall, ApiFailure } from './api.ts'
import { type Chat, createChatApi } from './chat-api.ts'
import { createChatSession } from './chat-session.ts'

const chat: Chat = { chatId: 'c1', restoreToken: 't1' }

/** The server end of a socket. */
class PlayedSocket extends EventTarget {
  sent: Record<string, unknown>[] = []
  isClosed = false

  send(text: string) {
    this.sent.push(JSON.parse(text))
  }
  close() {
    this.isClosed = true
  }
  accept() {
    this.dispatchEvent(new Event('open'))
  }
  say(frame: object) {
    const { requestId } = this.sent.at(-1) ?? {}
    const data = JSON.stringify({ from: 'ai', requestId, ...chat, messageId: 'm1', ...frame })
    this.dispatchEvent(Object.assign(new Event('message'), { data }))
  }
  hangUp(code = 1006) {
    this.dispatchEvent(Object.assign(new Event('close'), { code }))
  }
}

function open({ kept = null as Chat | null, call = (async () => ({})) as ApiCall } = {}) {
  const sockets: PlayedSocket[] = []
  const written: (Chat | null)[] = []
  const session = createChatSession({
    api: createChatApi(call),
    memory: { read: () => kept, write: (next) => written.push(next) },
    open() {
      const socket = new PlayedSocket()
      sockets.push(socket)
      return socket as unknown as WebSocket
    },
    describe: () => ({ projectId: 'docs', url: 'https://docs.example.org/' }),
    defer: (show) => show(),
  })
  return { session, sockets, written, turn: () => session.state.value.turns.at(-1) }
}

/** Sends a question after opening the socket. */
async function ask({ session, sockets }: ReturnType<typeof open>, question: string): Promise<PlayedSocket> {
  const asked = session.ask(question)
  sockets.at(-1)?.accept()
  await asked
  return sockets.at(-1)!
}

describe('the socket', () => {
  test('opens with the first question, and serves later ones', async () => {
    const page = open()
    await page.session.restore()
    expect(page.sockets).toEqual([])
    const socket = await ask(page, ' How? ')
    expect(socket.sent).toMatchObject([
      { message: 'How?', from: 'user', projectId: 'docs', capabilities: ['activity.v1'], thinkMode: false },
    ])
    socket.say({ message: 'So.', isPartial: false })
    await ask(page, 'And then?')
    expect(page.sockets.length).toBe(1)
    expect(socket.sent.at(-1)).toMatchObject({ message: 'And then?', ...chat })
  })

  test('does not throw if it cannot open, and is retried', async () => {
    const session = createChatSession({
      api: createChatApi(async () => ({})),
      memory: { read: () => null, write: () => {} },
      open: () => {
        throw new DOMException('insecure', 'SecurityError')
      },
      describe: () => ({}),
      defer: (show) => show(),
    })
    await session.ask('How?')
    const { turns, connection } = session.state.value
    expect([turns.at(-1)?.notice, connection]).toEqual([{ code: 'noConnection' }, 'waiting'])
    session.close()
  })

  test('keeps the draft when the connection is lost, and sends nothing again by itself', async () => {
    const page = open()
    const socket = await ask(page, 'How?')
    socket.say({ message: 'Half', isPartial: true })
    socket.hangUp()
    expect(page.turn()).toMatchObject({
      phase: 'broken',
      text: 'Half',
      notice: { code: 'lost' },
      retryable: true,
    })
    expect(page.session.state.value.connection).toBe('waiting')
    page.session.wentOnline()
    page.sockets.at(-1)?.accept()
    expect(page.sockets.at(-1)?.sent).toEqual([])
    page.session.close()
  })

  test('does not reconnect from a blocked network', async () => {
    const page = open()
    const socket = await ask(page, 'How?')
    socket.hangUp(4429)
    expect(page.turn()?.notice).toEqual({ code: 'blocked' })
    expect(page.session.state.value.connection).toBe('closed')
  })

  test('closes on a stop, which keeps the received text', async () => {
    const page = open()
    const socket = await ask(page, 'How?')
    socket.say({ message: 'Half', isPartial: true })
    page.session.stop()
    expect(socket.isClosed).toBe(true)
    expect(page.turn()).toMatchObject({ phase: 'broken', text: 'Half', notice: { code: 'stopped' } })
    socket.say({ message: ' and more', isPartial: true })
    expect(page.turn()?.text).toBe('Half')
  })
})

describe('the conversation', () => {
  const message = { sources: [], feedback: null, incomplete: false, stop_reason: null }
  const messages = [
    { ...message, uuid: 'q1', role: 'user', content: 'How?' },
    { ...message, uuid: 'a1', role: 'assistant', content: 'So.', feedback: 1, stop_reason: 'stop' },
    { ...message, uuid: 'q2', role: 'user', content: 'And then?' },
  ]

  test('is restored page by page, newest first, with its token', async () => {
    const asked: unknown[] = []
    const call: ApiCall = async (path, options) => {
      asked.push([path, options?.headers])
      const isFirst = path.endsWith('offset=0')
      return isFirst
        ? { messages: [messages[2], messages[1]], next: 'more' }
        : { messages: [messages[0]], next: null }
    }
    const page = open({ kept: chat, call })
    await page.session.restore()
    expect(page.session.state.value.turns).toMatchObject([
      { question: 'How?', text: 'So.', phase: 'done', feedback: 1, notice: null },
      { question: 'And then?', phase: 'broken', notice: { code: 'unanswered' }, retryable: true },
    ])
    const headers = { 'x-chat-restore-token': 't1' }
    expect(asked).toEqual([
      ['chats/c1/?limit=100&offset=0', headers],
      ['chats/c1/?limit=100&offset=2', headers],
    ])
  })

  test('is forgotten if the server does not have it, but not if it cannot be read now', async () => {
    for (const [kind, written] of [
      ['unknown', [null]],
      ['offline', []],
    ] as const) {
      const call: ApiCall = async () => Promise.reject(new ApiFailure(kind, ''))
      const page = open({ kept: chat, call })
      await page.session.restore()
      expect([page.written, page.session.state.value.restoring]).toEqual([written, false])
    }
  })

  test('is stored from its first frame, and starts over on request', async () => {
    const page = open()
    const socket = await ask(page, 'How?')
    socket.say({ message: 'So', isPartial: true })
    expect(page.written).toEqual([chat])
    page.session.startAnew()
    expect([page.written.at(-1), page.session.state.value.turns, socket.isClosed]).toEqual([null, [], true])
    const next = await ask(page, 'Something else?')
    expect(next.sent[0]).not.toHaveProperty('chatId')
  })

  test("appends a continuation to the answer, and stores the reader's feedback", async () => {
    const asked: unknown[] = []
    const page = open({
      async call(path, options) {
        asked.push([path, options?.body, options?.headers])
        return { ai_message: { message: 'Half and half.', sources: [], continuationAvailable: false } }
      },
    })
    const socket = await ask(page, 'How?')
    socket.say({ message: 'Half', isPartial: false, incomplete: true, continuationAvailable: true })
    expect(page.turn()).toMatchObject({ canContinue: true, incomplete: true })
    await page.session.goOn(page.turn()!)
    await page.session.react(page.turn()!, 0)
    expect(page.session.state.value.turns).toMatchObject([
      { text: 'Half and half.', canContinue: false, feedback: 0, notice: null },
    ])
    const headers = { 'x-chat-restore-token': 't1' }
    expect(asked).toEqual([
      ['chats/', { chat_uuid: 'c1', continue_message_id: 'm1' }, headers],
      ['messages/m1/feedback/', { reaction: 0 }, headers],
    ])
  })

  test('restores the previous feedback if the new one does not reach the server', async () => {
    const page = open({ call: async () => Promise.reject(new ApiFailure('offline', '')) })
    const socket = await ask(page, 'How?')
    socket.say({ message: 'So.', isPartial: false })
    await page.session.react(page.turn()!, 1)
    expect(page.turn()).toMatchObject({ feedback: null, notice: { code: 'feedbackFailed' } })
  })
})
