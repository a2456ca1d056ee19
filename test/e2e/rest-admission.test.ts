// Without permission a caller learns nothing else: body, type, size and query are checked after the key.
import { connect } from 'node:net'
import { afterAll, beforeEach, describe, expect, it } from 'vitest'
import { restV2 } from '../../gateway/rest-v2.ts'
import { openTestGateway } from './gateway/lectern-gateway.ts'

const gateway = await openTestGateway()
beforeEach(() => {
  gateway.asked.length = 0
})
afterAll(() => gateway.close())

/** No key needed: the token in the body authorizes. */
const openToAll = ['/api/v2/team/invitations/accept/', '/api/v2/keys/sign-in/']
const withBody = restV2.filter(
  ({ method, path }) => ['POST', 'PATCH'].includes(method) && !openToAll.includes(path),
)

describe('without a key, on a private or nonexistent project', () => {
  for (const { method, path } of withBody) {
    const addressOf = (slug: string) => path.replace('{slug}', slug).replace(/\{\w+\}/g, 'one')
    const isPublicCall = /chats\/$|click\/$|feedback\/$/.test(path)

    it.each<[string, string, Record<string, string>]>([
      ['a broken body', '{', {}],
      ['unknown fields', '{"nmae": 1}', {}],
      ['a body of another type', 'x', { 'content-type': 'text/plain' }],
      ['a form', 'x', { 'content-type': 'multipart/form-data; boundary=x' }],
      ['a body that is too large', `"${'x'.repeat(1024 * 1024)}"`, {}],
    ])(`${method} ${path} with %s`, async (_, body, headers) => {
      const ask = (slug: string) =>
        gateway.ask(method, addressOf(slug), body, { ...headers, authorization: '' })
      expect((await ask('closed')).status).toBe(401)
      expect((await ask('none')).status).toBe(isPublicCall ? 404 : 401)
      expect(gateway.asked).toEqual([])
    })
  }

  it('rejects before the body has arrived', async () => {
    const socket = connect(gateway.port, '127.0.0.1')
    socket.write('POST /api/v2/projects/ HTTP/1.1\r\nHost: l\r\nContent-Length: 1000\r\n\r\n{')
    const answer = await new Promise((resolve) => socket.on('data', (data) => resolve(data.toString())))
    expect(answer).toMatch(/^HTTP\/1\.1 401 /)
    socket.destroy()
  })

  it.each(['/api/v2/projects/?limit=0', '/api/v2/projects/closed/search/?q=x&limit=0'])(
    'GET %s',
    async (path) => {
      expect((await gateway.ask('GET', path, undefined, { authorization: '' })).status).toBe(401)
      expect((await gateway.ask('GET', path)).status).toBe(400)
    },
  )
})

it('a check of permissions does not call the handler', async () => {
  expect((await gateway.ask('POST', '/api/v2/projects/open/sync/', '{')).status).toBe(400)
  expect(gateway.asked).toEqual([])
})

describe('a body with many faults', () => {
  const path = '/api/v2/projects/open/search/click/'

  it('has their names cut in the error', async () => {
    const answer = await gateway.ask('POST', path, `{"${'x'.repeat(60_000)}":1}`)
    expect(answer.status).toBe(400)
    expect((await answer.text()).length).toBeLessThan(1_000)
  })
})

it.each(['', '{}'])('a change with the body %j must be JSON, too', async (body) => {
  const headers = { 'content-type': 'text/plain' }
  expect((await gateway.ask('PATCH', '/api/v2/projects/open/', body || undefined, headers)).status).toBe(415)
})

describe('a body with many small values', () => {
  it.each(['1,', '[],', '"a":1,'])('is not parsed without a key: %s', async (one) => {
    const path = '/api/v2/projects/open/search/click/'
    const many = one.repeat(Math.floor(60_000 / one.length))
    const body = one.startsWith('"') ? `{${many}"z":1}` : `{"query":[${many}1]}`
    const answer = await gateway.ask('POST', path, body, { authorization: '' })
    expect(answer.status).toBe(400)
    expect(await answer.json()).toMatchObject({
      error: 'The body must not hold more than 1000 names and values.',
    })
  })

  it('does not count punctuation inside strings', async () => {
    const query = '{"a":[1,2]},\\"\\\\'.repeat(1_000)
    const answer = await gateway.ask('POST', '/api/v2/projects/open/search/click/', { query })
    expect(await answer.json()).toMatchObject({ fields: { query: [expect.stringContaining('at most')] } })
  })
})

describe('a body of more than 64 KiB', () => {
  const size = 64 * 1024
  const ofSize = (length: number) => `{"query":"${'x'.repeat(length - 12)}"}`

  it.each(['/api/v2/projects/open/search/click/', '/api/v2/projects/open/chats/', ...openToAll])(
    'is too large where no key is needed, even with one: %s',
    async (path) => {
      const answer = await gateway.ask('POST', path, ofSize(size + 1))
      expect(answer.status).toBe(413)
      expect(await answer.json()).toMatchObject({
        code: 'too_large',
        error: expect.stringContaining('65536'),
      })
      expect((await gateway.ask('POST', path, ofSize(size))).status).not.toBe(413)
    },
  )

  it('is accepted where a key is needed', async () => {
    expect((await gateway.ask('PATCH', '/api/v2/projects/open/', ofSize(size + 1))).status).toBe(400)
  })
})
