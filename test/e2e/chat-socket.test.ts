// Frames of the chat socket in a turn.
import { randomUUID } from 'node:crypto'
import { afterAll, describe, expect, it } from 'vitest'
import { StopReason, TurnOutcome, TurnStage, TurnState } from '../../gen/lectern/v1/turn_pb.js'
import { type ChatClient, openChat, withProgress } from './gateway/chat-client.ts'
import { chatUuid, final, messageId, openChatLab, status, token } from './gateway/chat-lab.ts'

let addresses = 0
const lab = await openChatLab()
afterAll(() => lab.close())

/** Opens a socket from a new address, so that tests do not share rate limits. */
async function open(path = '/ws/messages/open/', headers = {}): Promise<ChatClient> {
  addresses++
  return openChat(lab.socketUrl(path), { 'x-forwarded-for': `10.1.0.${addresses}`, ...headers })
}

describe('without negotiated progress', () => {
  it('sends new text only, then the complete answer', async () => {
    const chat = await open()
    chat.send({ message: 'one two three' })
    const turn = await chat.turn()
    const answer = {
      projectId: 'open',
      chatId: chatUuid,
      from: 'ai',
      messageId,
      timestamp: expect.any(String),
    }
    expect(turn).toEqual([
      { ...answer, message: 'one ', isPartial: true, restoreToken: 'restore' },
      { ...answer, message: 'two ', isPartial: true },
      { ...answer, message: 'three', isPartial: true },
      {
        ...answer,
        message: 'one two three',
        isPartial: false,
        sources: [{ title: 'Home', url: 'https://d.example/' }],
        incomplete: false,
        stopReason: 'stop',
        continuationCount: 0,
        continuationAvailable: false,
        restoreToken: 'restore',
      },
    ])
    expect(turn[0].timestamp).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/)
  })

  it('does not offer to continue an answer that failed before the first word', async () => {
    lab.scripts.fails = async function* () {
      yield final('It failed.', { stopReason: StopReason.ERROR })
    }
    lab.scripts.cut = async function* () {
      yield token('It was', true)
      yield final('It was', { stopReason: StopReason.LENGTH })
    }
    const chat = await open()
    const failed = await chat.ask({ message: 'fails' })
    expect(failed).toMatchObject({ incomplete: false, stopReason: 'error' })
    expect(failed).not.toHaveProperty('isError')
    expect(await chat.ask({ message: 'cut' })).toMatchObject({ incomplete: true, stopReason: 'length' })
  })
})

it.each([
  ['content_filter', StopReason.CONTENT_FILTER, 'The provider’s filter has stopped the answer.'],
  ['interrupted', StopReason.INTERRUPTED, ''],
])(
  'an answer without text ends with %s and is incomplete only for clients that negotiated progress',
  async (name, stopReason, text) => {
    lab.scripts[name] = async function* () {
      yield final(text, { stopReason })
    }
    const chat = await open()
    expect(await chat.ask({ message: name })).toMatchObject({ incomplete: false, stopReason: name })
    expect(await chat.ask(withProgress(name, 'r'))).toMatchObject({ incomplete: true, stopReason: name })
  },
)

it('version and language reach the core, except empty and null values', async () => {
  const chat = await open()
  await chat.ask({ message: 'a', version: '3.11', language: 'pt-br' })
  expect(lab.sent.at(-1)!.request).toMatchObject({ version: '3.11', language: 'pt-br' })
  await chat.ask({ message: 'a', version: '', language: null })
  const { version, language } = lab.sent.at(-1)!.request
  expect([version, language]).toEqual([undefined, undefined])
})

describe('with negotiated progress', () => {
  it('sends status frames and the requestId on every frame', async () => {
    const chat = await open()
    chat.send(withProgress('one two', 'turn:1'))
    const turn = [...(await chat.turn()), await chat.next()]
    expect(
      turn.map(({ type, isPartial, stage, state, sequence }) => [type, isPartial, stage, state, sequence]),
    ).toEqual([
      ['status', undefined, 'writing_answer', 'started', 1],
      [undefined, true, undefined, undefined, undefined],
      [undefined, true, undefined, undefined, undefined],
      ['status', undefined, 'writing_answer', 'completed', 2],
      [undefined, false, undefined, undefined, undefined],
      ['status', undefined, 'completed', 'completed', 3],
    ])
    for (const { requestId } of turn) expect(requestId).toBe('turn:1')
    expect(turn.at(-2).sources).toEqual([
      { title: 'Home', url: 'https://d.example/', quote: 'Words of home.' },
    ])
    expect(turn[0]).toEqual({
      type: 'status',
      version: 1,
      requestId: 'turn:1',
      sequence: 1,
      stage: 'writing_answer',
      state: 'started',
      detail: { searchRound: 1 },
    })
  })

  it('reports a failure as an error', async () => {
    lab.scripts['fails here'] = async function* () {
      yield final('It failed.', { stopReason: StopReason.ERROR })
    }
    const chat = await open()
    expect(await chat.ask(withProgress('fails here', 'r'))).toMatchObject({
      isError: true,
      retryable: true,
      incomplete: true,
      stopReason: 'error',
    })
  })
})

it('the outcome of a question is in the final frame only if progress was negotiated', async () => {
  lab.scripts.nearest = async function* () {
    yield final('The nearest section is this.', { outcome: TurnOutcome.POINTED })
  }
  const chat = await open()
  expect(await chat.ask(withProgress('nearest', 'r'))).toMatchObject({ outcome: 'pointed' })
  expect(await chat.ask({ message: 'nearest' })).not.toHaveProperty('outcome')
  expect(await chat.ask(withProgress('one two', 'r'))).not.toHaveProperty('outcome')
})

describe('a message', () => {
  it.each([
    ['broken JSON', '{"message":'],
    ['nothing', ''],
    ['a list', '[]'],
    ['null', 'null'],
    ['no message', { url: 'https://d.example/' }],
    ['an empty message', { message: '' }],
    ['a blank message', { message: ' \n' }],
    ['a number for a message', { message: 7 }],
    ['a list for a chatId', { message: 'a', chatId: [] }],
    ['a number for an apiKey', { message: 'a', apiKey: 7 }],
    ['an object for a url', { message: 'a', url: {} }],
    ['a text for thinkMode', { message: 'a', thinkMode: 'yes' }],
    ['a number for a version', { message: 'a', version: 3 }],
    ['a number for a language', { message: 'a', language: 3 }],
    ['half a character', '{"message":"\\ud800"}'],
    ['too many characters', { message: 'ä'.repeat(1001) }],
    ['an e-mail that is too long', { message: 'a', email: 'a'.repeat(321) }],
  ])('with %s is rejected with one frame', async (_, message) => {
    const chat = await open()
    chat.send(message)
    const [refusal, ...more] = await chat.turn()
    expect(more).toEqual([])
    expect(refusal).toEqual({
      projectId: 'open',
      from: 'ai',
      message: expect.stringMatching(/\w/),
      timestamp: expect.any(String),
      isPartial: false,
      sources: [],
      incomplete: false,
      stopReason: 'invalid_message',
    })
    expect(await chat.ask({ message: 'on we go' })).toMatchObject({ stopReason: 'stop' })
  })

  it('may have 1000 characters, unknown fields, nulls and empty strings', async () => {
    const chat = await open()
    const message = '𝄞'.repeat(1000)
    const absent = { chatId: '', email: '', url: null, thinkMode: null, metadata: 5, retrievalMode: 'quick' }
    expect(await chat.ask({ message, from: 'user', unheard: [1], ...absent })).toMatchObject({ message })
    const { request } = lab.sent.at(-1)!
    expect(request).toMatchObject({ chatUuid: '', retrievalMode: 0, progress: false })
    for (const name of ['email', 'url', 'thinkMode', 'metadata'] as const)
      expect(request[name]).toBeUndefined()
  })

  it('reaches the core with all fields and the caller’s data', async () => {
    const chat = await open('/ws/messages/open', {
      origin: 'https://d.example',
      'x-forwarded-for': '9.9.9.9',
    })
    const connections: (string | null)[] = []
    for (const retrievalMode of ['auto', 'instant']) {
      await chat.ask({
        message: 'a b',
        chatId: chatUuid,
        url: 'https://d.example/a',
        email: 'a@d.example',
        thinkMode: true,
        retrievalMode,
        restoreToken: 'restore',
        metadata: 'docs',
      })
      const { request, caller } = lab.sent.at(-1)!
      expect(request).toMatchObject({
        slug: 'open',
        chatUuid,
        url: 'https://d.example/a',
        email: 'a@d.example',
        thinkMode: true,
        retrievalMode: { auto: 1, instant: 2 }[retrievalMode],
        restoreToken: 'restore',
        metadata: 'docs',
      })
      expect(caller).toMatchObject({
        surface: 'socket',
        address: '9.9.9.9',
        origin: 'https://d.example',
        signed: true,
      })
      connections.push(caller.connection)
    }
    expect(connections[0]).toMatch(/\w/)
    expect(connections[1]).toBe(connections[0])
    await (await open()).ask({ message: 'a' })
    expect(lab.sent.at(-1)!.caller.connection).not.toBe(connections[0])
  })

  it('belongs to the chat in the path, whatever its chatId', async () => {
    const other = randomUUID()
    const chat = await open(`/ws/messages/chat/${chatUuid}/`)
    await chat.ask({ message: 'a', chatId: other })
    expect(lab.sent.at(-1)!.request).toMatchObject({ slug: '', chatUuid })
  })

  it('is rejected as busy while another one is answered', async () => {
    const goOn = Promise.withResolvers<void>()
    lab.scripts.long = async function* () {
      yield token('a ', true)
      yield token('b ')
      await goOn.promise
      yield token('c')
      yield final('a b c')
    }
    const chat = await open()
    chat.send(withProgress('long', 'first'))
    await chat.next()
    chat.send(withProgress('again', 'second'))
    expect(await chat.turn()).toMatchObject([
      { message: 'b ', requestId: 'first' },
      { stopReason: 'busy', requestId: 'second', isError: true, retryable: true },
    ])
    goOn.resolve()
    expect((await chat.turn()).at(-1)).toMatchObject({ message: 'a b c', requestId: 'first' })
    expect(await chat.ask({ message: 'next one' })).toMatchObject({ stopReason: 'stop' })
  })

  it('is accepted after the final frame, before the core has ended the previous turn', async () => {
    const goOn = Promise.withResolvers<void>()
    lab.scripts.slowly = async function* () {
      yield final('done')
      await goOn.promise
      yield status(1, TurnStage.COMPLETED, TurnState.COMPLETED)
    }
    const chat = await open()
    await chat.ask(withProgress('slowly', 'first'))
    chat.send(withProgress('two words', 'second'))
    goOn.resolve()
    const turn = await chat.turn()
    expect(turn[0]).toMatchObject({ stage: 'completed', requestId: 'first' })
    expect(turn.at(-1)).toMatchObject({ message: 'two words', requestId: 'second' })
  })
})

it('is counted by stop reason, and open sockets are counted', async () => {
  const other = await openChatLab()
  const [chat, idle] = [
    await openChat(other.socketUrl('/ws/messages/open/')),
    await openChat(other.socketUrl('/ws/messages/a/')),
  ]
  for (const message of ['one', 'two', '']) await chat.ask({ message })
  const read = async () => (await fetch(`${other.url}/metrics`)).text()
  // The core searched two questions for each turn. It reports them at the end of the turn, after the answer.
  await expect.poll(read).toContain('lectern_questions_total{meaning="used"} 2\n')
  const text = await read()
  expect(text).toContain('lectern_sockets_open 2\n')
  expect(text).toContain('lectern_socket_messages_total{stop_reason="stop"} 2\n')
  expect(text).toContain('lectern_socket_messages_total{stop_reason="invalid_message"} 1\n')
  expect(text).toContain('lectern_questions_total{meaning="busy"} 2\n')
  idle.close()
  await expect.poll(read).toContain('lectern_sockets_open 1\n')
  await other.close()
})
