// X-Client-IP over REST and the socket: which address the core sees.
import { afterAll, expect, it } from 'vitest'
import { openChat } from './gateway/chat-client.ts'
import { openChatLab } from './gateway/chat-lab.ts'

const lab = await openChatLab({ trustProxy: ['127.0.0.1'] })
afterAll(() => lab.close())

const client = { 'x-client-ip': '203.0.113.7' }
const stranger = { 'x-forwarded-for': '198.51.100.1' }
const seen = () => lab.sent.at(-1)!.caller.address

const overRest = (headers: Record<string, string>) =>
  lab.ask('POST', '/api/v2/projects/open/chats/', { message: 'one' }, { authorization: '', ...headers })

it.each([
  ['X-Client-IP is ignored without a key', { ...stranger, ...client }, '198.51.100.1'],
  ['X-Client-IP of a trusted machine counts', client, '203.0.113.7'],
  [
    'X-Client-IP is ignored with an invalid key',
    { ...stranger, ...client, authorization: 'Api-Key lec_none' },
    '198.51.100.1',
  ],
])('over REST %s', async (_, headers, address) => {
  expect((await overRest(headers)).status).toBe(201)
  expect(seen()).toBe(address)
})

it('over REST, a valid key makes X-Client-IP count', async () => {
  const { authorization } = lab
  expect((await overRest({ ...stranger, ...client, authorization })).status).toBe(201)
  expect(seen()).toBe('203.0.113.7')
  expect((await overRest({ ...stranger, 'x-client-ip': 'nonsense', authorization })).status).toBe(201)
  expect(seen()).toBe('198.51.100.1')
})

it('over the socket, X-Client-IP counts from the first message with a valid key', async () => {
  const chat = await openChat(lab.socketUrl('/ws/messages/open/'), { ...stranger, ...client })
  await chat.ask({ message: 'one' })
  expect(seen()).toBe('198.51.100.1')
  await chat.ask({ message: 'one', apiKey: lab.authorization.replace('Api-Key ', '') })
  expect(seen()).toBe('203.0.113.7')
})

it('X-Client-IP without a key does not evade the rate limit', async () => {
  const from = { 'x-forwarded-for': '198.51.100.99' }
  const chat = await openChat(lab.socketUrl('/ws/messages/open/'), from)
  for (let message = 1; message <= 101; message++) chat.send({ message: '' })
  expect(await chat.closed).toMatchObject({ code: 4429 })
  const refused = await Promise.all(
    ['203.0.113.8', '203.0.113.9'].map((address) =>
      openChat(lab.socketUrl('/ws/messages/open/'), { ...from, 'x-client-ip': address }).then(
        () => 'opened',
        () => 'refused',
      ),
    ),
  )
  expect(refused).toEqual(['refused', 'refused'])
})
