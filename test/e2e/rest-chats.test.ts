// Chats through REST v2: restore tokens and response shapes. Other authorization is tested in
// services/chat/chat-access.test.ts and test/protocol/permission-matrix.test.ts.
import { randomUUID } from 'node:crypto'
import { afterAll, beforeEach, describe, expect, it } from 'vitest'
import { project } from '../contract/store-case.ts'
import { answer, question, trace } from '../contract/store-chat-case.ts'
import { openChatLab, unknownChat } from './chat-lab.ts'
import { askV1 } from './v1-client.ts'

const lab = await openChatLab()
afterAll(() => lab.close())

describe('authorization', () => {
  let chats: Record<'open' | 'closed' | 'foreign', string>
  beforeEach(async () => {
    chats = {
      open: await lab.makeChat('open'),
      closed: await lab.makeChat('closed'),
      foreign: await lab.makeChat('foreign'),
    }
  })

  it.each(['open', 'closed', 'foreign'] as const)(
    'a restore token reads and rates its chat: %s',
    async (slug) => {
      const given = { key: '', token: lab.tokens.of(chats[slug]) }
      const one = `${slug}/chats/${chats[slug]}/`
      expect((await lab.ask('GET', one, given)).body.uuid).toBe(chats[slug])
      const path = `${slug}/messages/answer of ${chats[slug]}/feedback/`
      expect(await lab.ask('POST', path, { ...given, body: { reaction: 1 } })).toEqual({
        status: 200,
        body: {},
      })
      expect((await lab.ask('GET', `${slug}/chats/`, given)).status).toBe(401)
      expect((await lab.ask('DELETE', one, given)).status).toBe(401)
      expect(await lab.store.chats.get(chats[slug])).not.toBeNull()
    },
  )

  it('a token of another chat reads nothing, and reveals nothing', async () => {
    for (const token of [
      lab.tokens.of(chats.open),
      'x',
      'x'.repeat(501),
      `${lab.tokens.of(chats.closed)}=`,
    ]) {
      const known = await lab.ask('GET', `closed/chats/${chats.closed}/`, { key: '', token })
      const never = await lab.ask('GET', `closed/chats/${randomUUID()}/`, { key: '', token })
      expect(known).toEqual(unknownChat)
      expect(never).toEqual(known)
      const body = { reaction: 1 }
      const rated = await lab.ask('POST', `closed/messages/answer of ${chats.closed}/feedback/`, {
        key: '',
        token,
        body,
      })
      const unrated = await lab.ask('POST', 'closed/messages/none/feedback/', { key: '', token, body })
      expect(rated.status).toBe(404)
      expect(rated).toEqual(unrated)
    }
    // REST v2 has no legacy clients without restore tokens, whatever LECTERN_LEGACY_CHATS says.
    expect((await lab.ask('GET', `open/chats/${chats.open}/`, { key: '', token: '' })).status).toBe(401)
  })
})

describe('messages', () => {
  it('are paged newest first, with links', async () => {
    const uuid = await lab.makeChat('closed')
    for (let position = 2; position < 45; position++) {
      const message = (position % 2 ? answer : question)(position, {
        uuid: `${uuid} ${position}`,
        chat: uuid,
      })
      await lab.store.chats.append(message, null, null)
    }
    const path = `closed/chats/${uuid}/`
    const read: string[] = []
    const sizes: number[] = []
    for (let next: string | null = path; next !== null; ) {
      const { body } = await lab.ask('GET', next.replace(/^.*projects\//, ''))
      expect(body).toMatchObject({ uuid, message_count: 45 })
      read.push(...body.messages.map((message: { uuid: string }) => message.uuid))
      sizes.push(body.messages.length)
      next = body.next
    }
    expect(sizes).toEqual([20, 20, 5])
    const older = Array.from({ length: 43 }, (_, n) => `${uuid} ${44 - n}`)
    expect(read).toEqual([...older, `answer of ${uuid}`, `question of ${uuid}`])
    const { body } = await lab.ask('GET', `${path}?limit=1000&offset=2`)
    expect([body.messages.length, body.messages[0].uuid, body.next]).toEqual([43, `${uuid} 42`, null])
    expect(await lab.ask('GET', `${path}?limit=-1&offset=-1`)).toMatchObject({
      status: 400,
      body: {
        fields: {
          limit: ['must be greater than or equal to 1'],
          offset: ['must be greater than or equal to 0'],
        },
      },
    })
    expect(await lab.ask('GET', `${path}?limit=0`)).toMatchObject({
      status: 400,
      body: { fields: { limit: [expect.any(String)] } },
    })
  })

  it('over v1 are the newest hundred, oldest first', async () => {
    const uuid = await lab.makeChat('open')
    for (let position = 2; position < 103; position++)
      await lab.store.chats.append(
        question(position, { uuid: `${uuid} ${position}`, chat: uuid }),
        null,
        null,
      )
    const { body } = await askV1(lab.url, 'GET', `/chats/${uuid}`)
    const read = body.messages.map((message: { uuid: string }) => message.uuid)
    expect([read.length, read[0], read.at(-1)]).toEqual([100, `${uuid} 3`, `${uuid} 102`])
  })
})

describe('response', () => {
  const record = (uuid: string) => ({
    uuid,
    created_at: '2026-01-02T00:01:00.000Z',
    updated_at: '2026-01-02T00:03:00.000Z',
    title: 'How do I begin?',
    email: 'ann@docs.test',
    metadata: 'widget',
    url: 'https://docs.test/a',
    message_count: 2,
  })

  it('a conversation is the record and its messages', async () => {
    const uuid = await lab.makeChat('closed')
    await lab.store.chats.react(`answer of ${uuid}`, { reaction: 1, comment: 'Just right' })
    const { status, body } = await lab.ask('GET', `closed/chats/${uuid}`)
    expect([status, body]).toEqual([
      200,
      {
        ...record(uuid),
        share_token: expect.stringMatching(/^[\w-]{43}$/),
        messages: [
          {
            uuid: `answer of ${uuid}`,
            role: 'assistant',
            content: 'Answer 1 [1]',
            created_at: '2026-01-02T00:03:00.000Z',
            sources: [{ title: 'A', url: 'https://docs.test/a#b' }],
            feedback: 1,
            comment: 'Just right',
            incomplete: true,
            stop_reason: 'length',
            outcome: 'answered',
          },
          {
            uuid: `question of ${uuid}`,
            role: 'user',
            content: 'Question 0?',
            created_at: '2026-01-02T00:02:00.000Z',
            sources: [],
            feedback: null,
            comment: null,
            incomplete: false,
            stop_reason: null,
            outcome: null,
          },
        ],
        next: null,
      },
    ])
  })

  it('returns missing fields of a chat as null, and omits none', async () => {
    const uuid = await lab.makeChat('closed', { email: null, metadata: null, url: null })
    expect((await lab.ask('GET', `closed/chats/${uuid}/`)).body).toMatchObject({
      email: null,
      metadata: null,
      url: null,
    })
  })

  it('an answer has its stored trace in its own project', async () => {
    const uuid = await lab.makeChat('closed')
    const path = (slug: string, message: string) => `${slug}/messages/${message} of ${uuid}/trace/`
    const { verdict, promptVersion, passages, timings, ...stored } = trace()
    expect(await lab.ask('GET', path('closed', 'answer'))).toEqual({
      status: 200,
      body: {
        ...{ ...stored, meanings: [], model_error: null, outcome: verdict, prompt_version: promptVersion },
        passages: passages.map(({ contentHash, ...rest }) => ({
          quote: null,
          ...rest,
          content_hash: contentHash,
        })),
        timings: { retrieved: 3, first_token: timings.firstToken, done: 90 },
      },
    })
    const unknown = { status: 404, body: { error: 'There is no such answer.', code: 'not_found' } }
    expect(await lab.ask('GET', path('closed', 'question'))).toEqual(unknown)
    expect(await lab.ask('GET', path('open', 'answer'))).toEqual(unknown)
    expect((await lab.ask('GET', path('open', 'answer'), { key: '' })).status).toBe(401)
  })

  it('chats are filtered by outcome, reaction, text and day', async () => {
    await lab.store.projects.insert(project('found', { slug: 'found', team: lab.team }))
    const first = await lab.makeChat('found', { createdAt: '2026-01-02T23:59:59.999Z' })
    const second = await lab.makeChat('found', { createdAt: '2026-01-03T00:00:00.000Z' })
    await lab.store.chats.react(`answer of ${second}`, { reaction: 0, comment: null })
    const list = async (query: string) => {
      const { body } = await lab.ask('GET', `found/chats/?${query}`)
      return body.results?.map(({ uuid }: { uuid: string }) => uuid) ?? Object.keys(body.fields)
    }
    expect(await list('outcome=answered&q=&start_date=')).toEqual([second, first])
    expect(await list('outcome=refused')).toEqual([])
    expect(await list('reaction=0&outcome=answered')).toEqual([second])
    expect(await list('reaction=1')).toEqual([])
    expect(await list('q=ANSWER%201')).toEqual([second, first])
    expect(await list('q=nothing')).toEqual([])
    expect(await list('end_date=2026-01-02')).toEqual([first])
    expect(await list('start_date=2026-01-03&end_date=2026-01-03')).toEqual([second])
    const { body } = await lab.ask('GET', 'found/chats/?q=answer&limit=1')
    expect([body.count, body.next]).toEqual([2, expect.stringMatching(/\?q=answer&limit=1&offset=1$/)])
    for (const [query, field] of [
      ['outcome=good', 'outcome'],
      ['reaction=2', 'reaction'],
      ['start_date=yesterday', 'start_date'],
      ['start_date=2026-01-03&end_date=2026-01-02', 'start_date'],
    ] as const)
      expect(await list(query)).toEqual([field])
  })
})
