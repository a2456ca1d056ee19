// Sending messages and continuing answers over REST.
import { afterAll, describe, expect, it } from 'vitest'
import { StopReason, TurnStage, TurnState } from '../../gen/lectern/v1/turn_pb.js'
import { DomainError, rateLimited } from '../../services/errors.ts'
import { chatUuid, final, messageId, openChatLab, status, token } from './gateway/chat-lab.ts'

const path = '/api/v2/projects/open/chats/'
const continued = { chat_uuid: chatUuid, continue_message_id: messageId }

const lab = await openChatLab()
afterAll(() => lab.close())

async function post(body: unknown, headers: Record<string, string> = {}) {
  const answer = await lab.ask('POST', path, body, headers)
  return { status: answer.status, headers: answer.headers, body: await answer.json() }
}

describe('sending', () => {
  it('returns 201 with the answer in a new chat', async () => {
    const { status, body } = await post({ message: 'one two' })
    expect(status).toBe(201)
    expect(body).toEqual({
      chat_uuid: chatUuid,
      restore_token: 'restore',
      user_message_id: expect.stringMatching(/^[0-9a-f-]{36}$/),
      ai_message: {
        from: 'ai',
        message: 'one two',
        messageId,
        isPartial: false,
        timestamp: expect.stringMatching(/^\d{4}-.*\.\d{3}Z$/),
        sources: [{ title: 'Home', url: 'https://d.example/', quote: 'Words of home.' }],
        incomplete: false,
        stopReason: 'stop',
        continuationCount: 0,
        continuationAvailable: false,
      },
    })
  })

  it('returns 200 in a known chat', async () => {
    lab.scripts['go on'] = async function* () {
      yield final('on', { newChat: false })
    }
    const body = { message: 'go on', chat_uuid: chatUuid }
    expect(await post(body, { 'x-chat-restore-token': 'restore' })).toMatchObject({ status: 200 })
    expect(lab.sent.at(-1)!.request).toMatchObject({ chatUuid, restoreToken: 'restore', progress: false })
  })

  it('accepts every field, and null for each optional one', async () => {
    await post({
      message: 'a b',
      url: 'https://d.example/a',
      email: 'a@d.example',
      think_mode: true,
      retrieval_mode: 'instant',
      metadata: 'docs',
      version: '3',
      language: 'en',
    })
    expect(lab.sent.at(-1)!.request).toMatchObject({
      slug: 'open',
      url: 'https://d.example/a',
      email: 'a@d.example',
      thinkMode: true,
      retrievalMode: 2,
      metadata: 'docs',
      version: '3',
      language: 'en',
    })
    const nulls = {
      chat_uuid: null,
      continue_message_id: null,
      url: null,
      email: null,
      think_mode: null,
      retrieval_mode: null,
      metadata: null,
    }
    expect(await post({ message: 'a b', ...nulls })).toMatchObject({ status: 201 })
    expect(lab.sent.at(-1)!.request).toMatchObject({ chatUuid: '', retrievalMode: 0 })
  })

  it('returns 201 and reports the error when the model fails', async () => {
    lab.scripts.fails = async function* () {
      yield token('It ', true)
      yield final('It', { stopReason: StopReason.INTERRUPTED })
    }
    expect(await post({ message: 'fails' })).toMatchObject({
      status: 201,
      body: { ai_message: { stopReason: 'interrupted', incomplete: true } },
    })
  })

  it.each([
    ['message', {}],
    ['message', { message: null }],
    ['message', { message: '' }],
    ['message', { message: 'ä'.repeat(1001) }],
    ['message', { message: 7 }],
    ['nonsense', { message: 'a', nonsense: 1 }],
    ['project_slug', { message: 'a', project_slug: 'open' }],
    ['progress', { message: 'a', progress: true }],
    ['restore_token', { message: 'a', restore_token: 'restore' }],
    ['retrieval_mode', { message: 'a', retrieval_mode: 'quick' }],
    ['think_mode', { message: 'a', think_mode: 'yes' }],
    ['message', { ...continued, message: 'a' }],
    ['chat_uuid', { continue_message_id: messageId }],
    ['continue_message_id', { chat_uuid: chatUuid, continue_message_id: '' }],
    ['continue_message_id', { chat_uuid: chatUuid, continue_message_id: 7 }],
  ])('names %s in the error for %j', async (field, body) => {
    const { status, body: error } = await post(body)
    expect(status).toBe(400)
    expect(Object.keys((error as { fields: object }).fields)).toEqual([field])
  })

  it.each([
    [403, new DomainError('domain_not_allowed', 'Not from here.')],
    [404, new DomainError('not_found', 'There is no such chat.')],
    [429, rateLimited('Too many messages in this chat.', 42)],
  ])('is rejected with %i', async (status, error) => {
    // biome-ignore lint/correctness/useYield: it throws before any frame
    lab.scripts[error.reason] = async function* () {
      throw error
    }
    const answer = await post({ message: error.reason })
    expect(answer).toMatchObject({ status, body: { code: error.reason, error: error.message } })
    expect(answer.headers.get('retry-after')).toBe(status === 429 ? '42' : null)
  })

  it('stops in the core when the client disconnects', async () => {
    const begun = Promise.withResolvers<void>()
    const aborted = Promise.withResolvers<void>()
    lab.scripts.long = async function* (_request, signal) {
      yield token('a', true)
      begun.resolve()
      await new Promise((resolve) => signal.addEventListener('abort', resolve))
      aborted.resolve()
    }
    const leaving = new AbortController()
    const headers = { 'content-type': 'application/json' }
    const body = JSON.stringify({ message: 'long' })
    const asked = fetch(lab.url + path, { method: 'POST', headers, body, signal: leaving.signal })
    await begun.promise
    leaving.abort()
    await expect(asked).rejects.toThrow()
    await aborted.promise
  })
})

it('continuing requests the rest of the answer without adding a message of the reader', async () => {
  const answer = await post(
    { ...continued, url: 'https://d.example/', email: 'a@d.example', think_mode: true },
    {
      'x-chat-restore-token': 'restore',
    },
  )
  expect(answer).toMatchObject({
    status: 200,
    body: { chat_uuid: chatUuid, user_message_id: null, ai_message: { messageId, message: 'all of it' } },
  })
  expect(lab.continued.at(-1)).toMatchObject({
    slug: 'open',
    chatUuid,
    continueMessageId: messageId,
    restoreToken: 'restore',
    url: 'https://d.example/',
  })
})

it('skips status events', async () => {
  lab.scripts.talks = async function* () {
    yield status(1, TurnStage.WRITING_ANSWER, TurnState.STARTED)
    yield final('said')
  }
  expect(await post({ message: 'talks' })).toMatchObject({ body: { ai_message: { message: 'said' } } })
})

it.each([
  [{ message: 'a', foo: null }, 'foo'],
  [{ message: 'a', progress: null }, 'progress'],
  [{ ...continued, foo: null }, 'foo'],
])('null makes no unknown field known: %j', async (body, name) => {
  expect(await post(body)).toMatchObject({ status: 400, body: { fields: { [name]: ['unknown field'] } } })
})
