// Requests and turns that the caller aborts, in metrics and logs, compared with timeouts inside Lectern.
import { request as begin } from 'node:http'
import { afterAll, beforeEach, expect, it } from 'vitest'
import { DomainError } from '../../services/errors.ts'
import { openChat, withProgress } from './gateway/chat-client.ts'
import { openChatLab, token } from './gateway/chat-lab.ts'
import { openTestGateway } from './gateway/lectern-gateway.ts'

let searching: PromiseWithResolvers<AbortSignal>
const gateway = await openTestGateway(
  {},
  {
    implementation: {
      search: {
        search({ q }, { signal }) {
          if (q === 'away') throw new DomainError('unavailable', 'The index does not answer.')
          searching.resolve(signal)
          return new Promise(() => {})
        },
        reportClick: () => ({}),
      },
    },
  },
)
beforeEach(() => {
  searching = Promise.withResolvers()
})
afterAll(() => gateway.close())

const search = '/api/v2/projects/open/search/'
const click = '/api/v2/projects/open/search/click/'

/** The request counts of the route by status, from `/metrics`. */
async function statusesAt(route: string): Promise<Record<string, number>> {
  const text = await (await gateway.ask('GET', '/metrics')).text()
  const lines = text.matchAll(/^lectern_http_requests_total\{route="(.*?)",.*status="(\d+)"\} (\d+)$/gm)
  const found = [...lines].filter(([, of]) => of === route.replace('open', '{slug}'))
  return Object.fromEntries(found.map(([, , status, count]) => [status, Number(count)]))
}

it('counts a search that the caller aborts as 499', async () => {
  const abort = new AbortController()
  const asked = fetch(`${gateway.url}${search}?q=name`, { signal: abort.signal }).catch(() => null)
  const signal = await searching.promise
  abort.abort()
  await asked
  await expect.poll(() => String(signal.reason)).toContain('AbortError')
  await expect.poll(() => statusesAt(search)).toEqual({ 499: 1 })
})

it('counts a body whose connection closes early as 499', async () => {
  const request = begin(gateway.url + click, { method: 'POST', headers: { 'content-length': 100 } })
  request.on('error', () => {})
  await new Promise((resolve) => request.write('{', resolve))
  // When this request is answered, the previous one has arrived.
  await gateway.ask('GET', '/healthz')
  request.destroy()
  await expect.poll(() => statusesAt(click)).toEqual({ 499: 1 })
})

it('answers 503 to a slow search and to an unresponsive index, with one log line each', async () => {
  const before = await statusesAt(search)
  const late = await gateway.ask('GET', `${search}?q=name`)
  const away = await gateway.ask('GET', `${search}?q=away`)
  expect([late.status, away.status]).toEqual([503, 503])
  expect(await statusesAt(search)).toEqual({ ...before, 503: 2 })
  const at = '503 at GET /api/v2/projects/{slug}/search/:'
  expect(gateway.warned).toEqual([
    expect.stringMatching(`^${at.replace(/[{}]/g, '\\$&')} .*deadline_exceeded`),
    `${at} ConnectError: [unavailable] The index does not answer.`,
  ])
  expect(gateway.logged).toEqual([])
})

it('records a turn as disconnected, not failed, when the reader closes the socket', async () => {
  const lab = await openChatLab()
  lab.scripts.slow = async function* (_, signal) {
    yield token('One', true)
    await new Promise((_resolve, reject) => signal.addEventListener('abort', () => reject(signal.reason)))
  }
  const chat = await openChat(lab.socketUrl('/ws/messages/open/'))
  chat.send(withProgress('slow', 'r'))
  await chat.next()
  chat.close()
  const ended = async () => {
    const text = await (await lab.ask('GET', '/metrics')).text()
    return text.split('\n').filter((line) => line.startsWith('lectern_socket_messages_total{'))
  }
  await expect.poll(ended).toEqual(['lectern_socket_messages_total{stop_reason="disconnected"} 1'])
  expect(lab.logged).toEqual([])
  await lab.close()
})
