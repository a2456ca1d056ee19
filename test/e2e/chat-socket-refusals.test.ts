// Rejections of the chat socket, and its frames when the core fails.
import { randomUUID } from 'node:crypto'
import { afterAll, describe, expect, it } from 'vitest'
import { TurnStage, TurnState } from '../../gen/lectern/v1/turn_pb.js'
import { backendAway, DomainError, rateLimited } from '../../services/errors.ts'
import { openSqliteStore } from '../../services/store/sqlite/sqlite-store.ts'
import { type ChatClient, openChat, withProgress } from './gateway/chat-client.ts'
import { messageId, openChatLab, status, token } from './gateway/chat-lab.ts'

const lab = await openChatLab()
afterAll(() => lab.close())

function open(path = '/ws/messages/open/'): Promise<ChatClient> {
  return openChat(lab.socketUrl(path))
}

it.each(['/ws/messages/open/', `/ws/messages/chat/${randomUUID()}`])(
  'reports a plain request at %s as one that lacks the upgrade',
  async (path) => {
    const response = await fetch(lab.socketUrl(path).replace('ws:', 'http:'))
    expect([response.status, response.headers.get('upgrade')]).toEqual([426, 'websocket'])
    expect(await response.json()).toMatchObject({ code: 'upgrade_required' })
  },
)

describe('authorization', () => {
  it('needs a key for a private project, once per socket', async () => {
    const chat = await open('/ws/messages/closed/')
    expect(await chat.ask(withProgress('hello', 'r'))).toMatchObject({
      stopReason: 'unauthorized',
      isError: true,
      retryable: false,
      requestId: 'r',
    })
    expect(await chat.ask({ message: 'hello', apiKey: 'lec_wrong' })).toMatchObject({
      stopReason: 'unauthorized',
    })
    expect(await chat.ask({ message: 'hello', apiKey: 'no header\ncarries this' })).toMatchObject({
      stopReason: 'unauthorized',
    })
    const apiKey = lab.authorization.replace('Api-Key ', '')
    expect(await chat.ask({ message: 'hello', apiKey })).toMatchObject({ stopReason: 'stop' })
    expect(await chat.ask({ message: 'hello again' })).toMatchObject({ stopReason: 'stop' })
  })

  it.each(['/ws/messages/nowhere/', `/ws/messages/${randomUUID()}/`])(
    'accepts the connection at %s and answers not_found',
    async (path) => {
      const chat = await open(path)
      const refusal = await chat.ask({ message: 'hello' })
      expect(refusal).toMatchObject({ stopReason: 'not_found', isPartial: false })
      expect(refusal).not.toHaveProperty('restoreToken')
      expect(refusal).not.toHaveProperty('messageId')
    },
  )

  it.each([
    ['domain_not_allowed', new DomainError('domain_not_allowed', 'Not from here.'), false],
    ['not_found', new DomainError('not_found', 'There is no such chat.'), false],
    ['rate_limited', rateLimited('Too many messages.', 30), true],
  ])('reports %s', async (stopReason, error, retryable) => {
    // biome-ignore lint/correctness/useYield: it throws before any frame
    lab.scripts[stopReason] = async function* () {
      throw error
    }
    const chat = await open()
    expect(await chat.ask(withProgress(stopReason, 'r'))).toEqual({
      projectId: 'open',
      from: 'ai',
      message: error.message,
      timestamp: expect.any(String),
      isPartial: false,
      sources: [],
      incomplete: false,
      stopReason,
      requestId: 'r',
      isError: true,
      retryable,
    })
    const plain = await chat.ask({ message: stopReason })
    expect(plain).toMatchObject({ stopReason, incomplete: false })
    for (const name of ['isError', 'retryable', 'requestId', 'messageId'])
      expect(plain).not.toHaveProperty(name)
  })
})

describe('a failing core', () => {
  it('hides the cause when it fails before the first word', async () => {
    // biome-ignore lint/correctness/useYield: it throws before any frame
    lab.scripts.boom = async function* () {
      throw new Error('secret path /var/lib/lectern')
    }
    const chat = await open()
    chat.send(withProgress('boom', 'r'))
    const turn = await chat.turn()
    expect(turn).toMatchObject([
      {
        type: 'status',
        sequence: 1,
        stage: 'failed',
        state: 'failed',
        detail: { reason: 'generation_failed' },
      },
      { stopReason: 'error', isError: true, retryable: true, incomplete: true },
    ])
    expect(JSON.stringify(turn)).not.toContain('secret')
    expect(await chat.ask({ message: 'boom' })).toMatchObject({ stopReason: 'error', incomplete: false })
  })

  it('returns the partial answer when it fails midway', async () => {
    lab.scripts.breaks = async function* () {
      yield status(1, TurnStage.WRITING_ANSWER, TurnState.STARTED)
      yield token('half an ', true)
      yield token('ans')
      throw new Error('gone')
    }
    const chat = await open()
    chat.send(withProgress('breaks', 'r'))
    expect((await chat.turn()).slice(-2)).toMatchObject([
      {
        sequence: 2,
        stage: 'interrupted',
        state: 'failed',
        detail: { reason: 'stream_interrupted', retryable: true },
      },
      {
        message: 'half an ans',
        messageId,
        interrupted: true,
        retryable: true,
        incomplete: true,
        stopReason: 'interrupted',
      },
    ])
  })
})

it('returns a retryable error when the store is unavailable, without calling the core', async () => {
  const store = await openSqliteStore(':memory:')
  const hit = () => Promise.reject(backendAway('store', null))
  const alone = await openChatLab({}, { store: { ...store, limits: { ...store.limits, hit } } })
  const chat = await openChat(alone.socketUrl('/ws/messages/open/'))
  expect(await chat.ask(withProgress('hello', 'r'))).toMatchObject({ stopReason: 'error', retryable: true })
  expect(alone.sent).toEqual([])
  await alone.close()
  await store.close()
})
