import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createModelProbe, probeWarning } from './probe.ts'

let status = 200
const seen: string[] = []
const server = createServer((request, response) => {
  seen.push(
    `${request.method} ${request.url} ${request.headers.authorization ?? request.headers['x-api-key']}`,
  )
  response.writeHead(status).end()
})
beforeAll(() => new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening)))
afterAll(() => new Promise((closed) => server.close(closed)))

const urlOf = () => `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`
const probe = (url = urlOf()) => createModelProbe({ provider: 'openai-compatible', url, key: 'sk-key' })()

test.each([
  [200, null],
  [404, null],
  [302, null],
  [401, 'refused'],
  [403, 'refused'],
  [503, 'unavailable'],
])('a provider that answers %d is %s', async (answer, fault) => {
  status = answer
  if (fault === null) await probe()
  else await expect(probe()).rejects.toMatchObject({ fault })
})

test('a provider that does not answer is unavailable', async () => {
  await expect(probe('http://127.0.0.1:1/v1')).rejects.toMatchObject({ fault: 'unavailable' })
})

test('each provider is asked for its models in its own way', async () => {
  status = 200
  seen.length = 0
  await probe()
  await createModelProbe({ provider: 'anthropic', url: urlOf().slice(0, -3), key: 'sk-ant' })()
  expect(seen).toEqual(['GET /v1/models Bearer sk-key', 'GET /v1/models sk-ant'])
})

test('a result counts for half a minute', async () => {
  let at = 0
  const ask = createModelProbe({ provider: 'openai-compatible', url: urlOf(), key: null }, () => at)
  status = 503
  await expect(ask()).rejects.toThrow()
  status = 200
  at = 29_999
  await expect(ask()).rejects.toThrow()
  at = 30_000
  await ask()
})

test('the warning names the variable and the host, and no secret', async () => {
  const provider = {
    provider: 'openai-compatible',
    url: 'http://user:pass@llm.test:81/v1',
    key: 'sk-key',
  } as const
  const away = await createModelProbe({ ...provider, url: 'http://127.0.0.1:1/v1' })().catch((error) => error)
  expect(probeWarning(provider, away)).toBe(
    'LECTERN_LLM_URL: the language model at llm.test:81 does not answer. Answers quote sections until it does.',
  )
  status = 401
  const refused = await probe().catch((error) => error)
  expect(probeWarning(provider, refused)).toMatch(
    /^LECTERN_LLM_KEY: the language model at llm\.test:81 refuses/,
  )
})
