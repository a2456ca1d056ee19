// Chats over REST v1 and who may continue them: older clients identify a chat by its UUID alone.
import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { StopReason } from '../../gen/lectern/v1/turn_pb.js'
import { openChat } from './gateway/chat-client.ts'
import { type ChatLab, final, openChatLab } from './gateway/chat-lab.ts'
import { type Harbor, sharedHarbor } from './harbor.ts'
import { adminKey } from './lectern-process.ts'
import { type AskV1, askV1 } from './v1-client.ts'

const question = 'How do I install Harbor on Linux?'
const forbidden = { status: 403, body: { error: 'There is no such chat.' } }

let harbor: Harbor
beforeAll(async () => {
  harbor = await sharedHarbor()
})

const ask: AskV1 = (...request) => askV1(harbor.lectern.baseUrl, ...request)
const from = (address: string) => ({ headers: { 'x-forwarded-for': address } })
let addresses = 0
const newAddress = () => `10.3.0.${++addresses}`

/** A chat of one turn, from a new address. */
async function begin() {
  const address = newAddress()
  const { body } = await ask('POST', '/chats/', {
    body: { message: question, project_slug: 'harbor' },
    ...from(address),
  })
  return { address, chat: body.chat_uuid as string, token: body.restore_token as string, turn: body }
}

describe('sending', () => {
  it('returns 201 with a new chat, every source with title and address', async () => {
    const body = {
      message: question,
      project_slug: 'harbor',
      nonsense: 1,
      think_mode: null,
      chat_uuid: '',
      email: '',
    }
    const answer = await ask('POST', '/chats/', { body, ...from(newAddress()) })
    expect(answer.status).toBe(201)
    expect(answer.body).toMatchObject({
      chat_uuid: expect.any(String),
      user_message_id: expect.any(String),
      restore_token: expect.any(String),
      ai_message: {
        from: 'ai',
        message: expect.stringMatching(/apt install harbor/),
        messageId: expect.any(String),
        isPartial: false,
        timestamp: expect.any(String),
        incomplete: false,
      },
    })
    const { sources } = answer.body.ai_message
    expect(sources.length).toBeGreaterThan(0)
    for (const source of sources) {
      expect(source).toEqual({ title: expect.stringMatching(/./), url: expect.stringMatching(/^http/) })
    }
  })

  it('returns 200 for a known chat, without a project', async () => {
    const { chat, token } = await begin()
    const headers = { 'x-chat-restore-token': token, ...from(newAddress()).headers }
    const { status, body } = await ask('POST', '/chats/', {
      body: { message: 'And on Windows?', chat_uuid: chat },
      headers,
    })
    expect([status, body.chat_uuid]).toEqual([200, chat])
  })

  it('identifies the project by its UUID too', async () => {
    const { uuid } = (await harbor.lectern.call('GET', '/api/v2/projects/harbor/')).body
    const body = { message: question, project_slug: uuid }
    expect((await ask('POST', '/chats/', { body, ...from(newAddress()) })).status).toBe(201)
  })

  it('returns 404 for an unknown project, 403 for an unknown chat', async () => {
    const send = (body: object) => ask('POST', '/chats/', { body: { message: 'x', ...body } })
    expect((await send({ project_slug: 'none' })).status).toBe(404)
    expect((await send({ project_slug: 'none', chat_uuid: randomUUID() })).status).toBe(404)
    expect(await send({ project_slug: 'harbor', chat_uuid: randomUUID() })).toMatchObject(forbidden)
    expect(await send({ chat_uuid: randomUUID() })).toMatchObject(forbidden)
  })

  it('returns 403 for a private project without a key', async () => {
    const body = { message: question, project_slug: 'secret' }
    expect((await ask('POST', '/chats/', { body })).status).toBe(403)
    expect((await ask('POST', '/chats/', { body, key: adminKey })).status).toBe(201)
  })

  it.each([
    [{ project_slug: 'harbor' }, 'message is required.'],
    [{ message: 'x' }, 'project_slug: is required where chat_uuid is empty.'],
    [{ message: 'x', slug: 'harbor' }, 'project_slug: is required where chat_uuid is empty.'],
    [{ message: 1, project_slug: 'harbor' }, 'message: must be a string.'],
    [{ message: 'x', project_slug: 1 }, 'project_slug: must be a string.'],
    [['x'], 'The body must be a JSON object.'],
  ])('%j returns 400: %s', async (body, error) => {
    expect(await ask('POST', '/chats/', { body })).toMatchObject({ status: 400, body: { error } })
  })
})

describe('an answer', () => {
  let lab: ChatLab
  beforeAll(async () => {
    lab = await openChatLab()
  })
  afterAll(() => lab.close())

  it.each([
    ['failed before its first word', StopReason.ERROR, false],
    ['was interrupted', StopReason.INTERRUPTED, true],
    ['reached the length limit', StopReason.LENGTH, true],
    ['is complete', StopReason.STOP, false],
  ])('that %s is incomplete: %s %s', async (message, stopReason, incomplete) => {
    lab.scripts[message] = async function* () {
      yield final('text', { stopReason })
    }
    const { status, body } = await askV1(lab.url, 'POST', '/chats/', {
      body: { message, project_slug: 'open' },
    })
    expect([status, body.ai_message.incomplete]).toEqual([201, incomplete])
  })
})

describe('the history of a chat', () => {
  it('has messages, with sources as Markdown links and feedback', async () => {
    const { address, chat, turn } = await begin()
    const rated = turn.ai_message.messageId
    expect(await ask('POST', `/messages/${rated}/feedback/`, { body: { reaction: 0 } })).toMatchObject({
      status: 200,
      body: {},
    })
    const { status, body } = await ask('GET', `/chats/${chat}`, from(address))
    expect(status).toBe(200)
    const links = turn.ai_message.sources.map(
      ({ title, url }: Record<string, string>) => `[${title}](${url})`,
    )
    expect(body).toEqual({
      messages: [
        {
          content: question,
          is_human_message: true,
          uuid: turn.user_message_id,
          feedback: null,
          sources: '',
        },
        {
          content: turn.ai_message.message,
          is_human_message: false,
          uuid: rated,
          feedback: 0,
          sources: links.join('\n'),
        },
      ],
    })
  })

  it('of an unknown chat returns 403, like one without permission', async () => {
    const { chat } = await begin()
    expect(await ask('GET', `/chats/${randomUUID()}`)).toMatchObject(forbidden)
    expect(await ask('GET', `/chats/${chat}`, from(newAddress()))).toMatchObject(forbidden)
  })
})

it('feedback requires an existing message, and 0 or 1', async () => {
  const { turn } = await begin()
  const path = `/messages/${turn.ai_message.messageId}/feedback/`
  expect((await ask('POST', path, { body: { reaction: 1, comment: 'Good', stars: 5 } })).status).toBe(200)
  expect((await ask('POST', path, { body: { reaction: 2 } })).status).toBe(400)
  expect((await ask('POST', `/messages/${randomUUID()}/feedback/`, { body: { reaction: 1 } })).status).toBe(
    404,
  )
})

it('a client without restore tokens, with same-address continues a chat from the address that wrote in it, over REST v1 and the socket', async () => {
  const { address, chat } = await begin()
  const body = { message: 'And on Windows?', project_slug: 'harbor', chat_uuid: chat }
  expect((await ask('POST', '/chats/', { body, ...from(address) })).status).toBe(200)
  const socket = await openChat(harbor.socket(`chat/${chat}`), from(address).headers)
  expect(await socket.ask({ message: question, chatId: chat })).toMatchObject({
    chatId: chat,
    stopReason: 'stop',
  })
  socket.close()
  expect((await ask('GET', `/chats/${chat}`, from(address))).body.messages).toHaveLength(6)
})

it('the socket of a widget accepts the project’s UUID, and sends nothing before the first message', async () => {
  const { uuid } = (await harbor.lectern.call('GET', '/api/v2/projects/harbor/')).body
  const socket = await openChat(harbor.socket(uuid), from(newAddress()).headers)
  const answer = await socket.ask({ projectId: uuid, chatId: '', from: 'user', message: question })
  expect(answer).toMatchObject({ isPartial: false, incomplete: false, messageId: expect.any(String) })
  expect(socket.frames[0]).toMatchObject({ isPartial: true, from: 'ai' })
  socket.close()
})
