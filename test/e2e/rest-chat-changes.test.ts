// Deleting chats, erasing a person's chats, and feedback through REST v2.
import { randomUUID } from 'node:crypto'
import { afterAll, describe, expect, it } from 'vitest'
import { openChatLab, unknownChat } from './chat-lab.ts'

const lab = await openChatLab()
afterAll(() => lab.close())

const tooLong = 'x'.repeat(2_001)

describe('deletion', () => {
  it('removes a chat with its restore token', async () => {
    const uuid = await lab.makeChat('closed')
    const one = `closed/chats/${uuid}/`
    expect(await lab.ask('DELETE', one)).toEqual({ status: 204, body: '' })
    expect(await lab.ask('DELETE', one)).toEqual(unknownChat)
    expect(await lab.ask('GET', one, { key: '', token: lab.tokens.of(uuid) })).toEqual(unknownChat)
    expect(await lab.store.chats.trace(`answer of ${uuid}`)).toBeNull()
  })

  it('erases a person’s chats from the project', async () => {
    const [email, other] = ['erase+me@docs.test', 'erase@docs.test']
    const mine = [await lab.makeChat('closed', { email }), await lab.makeChat('closed', { email })]
    const kept = [await lab.makeChat('closed', { email: other }), await lab.makeChat('open', { email })]
    const erase = `closed/chats/?email=${encodeURIComponent(email)}`
    expect(await lab.ask('DELETE', erase)).toEqual({ status: 204, body: '' })
    expect((await lab.ask('DELETE', erase)).status).toBe(204)
    expect(await Promise.all(mine.map((uuid) => lab.store.chats.get(uuid)))).toEqual([null, null])
    expect(await Promise.all(kept.map((uuid) => lab.store.chats.get(uuid)))).not.toContain(null)
  })

  it.each(['closed/chats/', 'closed/chats/?email='])(
    'of %s without an e-mail erases nothing',
    async (path) => {
      const uuid = await lab.makeChat('closed', { email: null })
      const { status, body } = await lab.ask('DELETE', path)
      expect([status, Object.keys(body.fields)]).toEqual([400, ['email']])
      expect(await lab.store.chats.get(uuid)).not.toBeNull()
    },
  )
})

describe('feedback', () => {
  it('is stored with its comment, and a later one replaces it', async () => {
    const uuid = await lab.makeChat('open')
    const path = `open/messages/answer of ${uuid}/feedback/`
    const said = async () =>
      (await lab.store.chats.message(`answer of ${uuid}`)) as { feedback: unknown; comment: unknown }
    expect(await lab.ask('POST', path, { body: { reaction: 0, comment: 'Wrong page' } })).toEqual({
      status: 200,
      body: {},
    })
    expect(await said()).toMatchObject({ feedback: 0, comment: 'Wrong page' })
    expect((await lab.ask('GET', `open/chats/${uuid}/`)).body.messages[0].feedback).toBe(0)
    expect((await lab.ask('POST', path, { body: { reaction: 1 }, key: '' })).status).toBe(200)
    expect(await said()).toMatchObject({ feedback: 1, comment: null })
  })

  it('is for answers only', async () => {
    const uuid = await lab.makeChat('open')
    const { status, body } = await lab.ask('POST', `open/messages/question of ${uuid}/feedback/`, {
      body: { reaction: 1 },
    })
    expect([status, body]).toEqual([
      400,
      {
        error: 'message_uuid must name an answer, not a message of the reader.',
        code: 'invalid',
        fields: { message_uuid: ['must name an answer, not a message of the reader'] },
      },
    ])
  })

  it.each<[unknown, string]>([
    [{}, 'reaction'],
    [{ reaction: 2 }, 'reaction'],
    [{ reaction: -1 }, 'reaction'],
    [{ reaction: '1' }, 'reaction'],
    [{ reaction: null }, 'reaction'],
    [{ reaction: 1, comment: tooLong }, 'comment'],
    [{ reaction: 1, comment: 7 }, 'comment'],
    [{ reaction: 1, other: 1 }, 'other'],
    [{ reaction: 1, restore_token: 'x' }, 'restore_token'],
  ])('%j is rejected for its %s', async (body, field) => {
    const uuid = await lab.makeChat('open')
    const answered = await lab.ask('POST', `open/messages/answer of ${uuid}/feedback/`, { body })
    expect([answered.status, Object.keys(answered.body.fields ?? {})]).toEqual([400, [field]])
    expect((await lab.store.chats.message(`answer of ${uuid}`))?.feedback).toBeNull()
  })

  it('on an unknown message returns 404', async () => {
    const { status, body } = await lab.ask('POST', `open/messages/${randomUUID()}/feedback/`, {
      body: { reaction: 1 },
    })
    expect([status, body]).toEqual([404, { error: 'There is no such message.', code: 'not_found' }])
  })
})
