// Calls to services, through the same dial function as pages.
import { createServer, type IncomingMessage, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { readAllowList } from './address.ts'
import { createFetcher, type Fetcher } from './fetch.ts'

interface Asked {
  method: string | undefined
  url: string | undefined
  token: string | string[] | undefined
  accept: string | undefined
  body: string
}

let servers: Server[]
let fetcher: Fetcher
let asked: Asked[]
beforeEach(() => {
  servers = []
  asked = []
  fetcher = createFetcher({ allow: readAllowList('127.0.0.1') })
})
afterEach(async () => {
  await fetcher.close()
  for (const server of servers) server.close()
})

async function serve(
  answer: (request: IncomingMessage) => { status: number; location?: string; body?: string },
) {
  const server = createServer(async (request, response) => {
    const body = (await request.toArray()).join('')
    const { method, url, headers } = request
    asked.push({ method, url, token: headers['x-token'], accept: headers.accept, body })
    const { status, location, body: text } = answer(request)
    response.writeHead(status, location ? { location } : {}).end(text)
  })
  servers.push(server)
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

test('sends method, headers and body, and returns any status as an answer', async () => {
  const origin = await serve(() => ({ status: 403, body: 'no' }))
  const answer = await fetcher.call(`${origin}/a?b`, {
    method: 'POST',
    headers: { accept: 'application/x-thing' },
    secretHeaders: { 'x-token': 'secret' },
    body: Buffer.from('question'),
  })
  expect(answer).toMatchObject({ kind: 'answer', status: 403, url: `${origin}/a?b` })
  expect(answer.kind === 'answer' && Buffer.from(answer.body).toString()).toBe('no')
  expect(asked).toEqual([
    { method: 'POST', url: '/a?b', token: 'secret', accept: 'application/x-thing', body: 'question' },
  ])
})

test('sends a secret to its origin only', async () => {
  const other = await serve(() => ({ status: 200, body: 'there' }))
  const origin = await serve(({ url }) => ({ status: 302, location: url === '/a' ? '/b' : `${other}/c` }))
  const answer = await fetcher.call(`${origin}/a`, { secretHeaders: { 'x-token': 'secret' } })
  expect(answer).toMatchObject({ kind: 'answer', status: 200, url: `${other}/c` })
  expect(asked.map(({ url, token }) => [url, token])).toEqual([
    ['/a', 'secret'],
    ['/b', 'secret'],
    ['/c', undefined],
  ])
})

test('does not call an address that is not public, also after a redirect', async () => {
  const origin = await serve(() => ({ status: 302, location: 'http://127.0.0.2/' }))
  expect(await fetcher.call(`${origin}/`)).toMatchObject({ kind: 'failed', reason: 'blocked_address' })
  expect(await fetcher.call('http://10.0.0.1/')).toMatchObject({ kind: 'failed', reason: 'blocked_address' })
  expect(await fetcher.call('nowhere')).toMatchObject({ kind: 'failed', reason: 'parse' })
})

test('fails on endless redirects and on a response that is too long', async () => {
  const origin = await serve(({ url }) =>
    url === '/round' ? { status: 301, location: '/round' } : { status: 200, body: 'x'.repeat(11) },
  )
  expect(await fetcher.call(`${origin}/round`)).toMatchObject({ kind: 'failed', reason: 'connection' })
  expect(await fetcher.call(`${origin}/long`, { maxBytes: 10 })).toMatchObject({
    kind: 'failed',
    reason: 'too_large',
  })
})
