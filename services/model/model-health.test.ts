import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type AnswerRequest, type Model, ModelError, type ModelPart } from './model.ts'
import { type CallOutcome, createModelProbe, observeModel, probeWarning } from './model-health.ts'

const text: ModelPart = { type: 'text', text: 'a' }

async function outcomeOf(answer: () => AsyncGenerator<ModelPart>, take: number): Promise<CallOutcome[]> {
  const told: CallOutcome[] = []
  const model: Model = { name: 'm', answer }
  const observed = observeModel(model, (outcome) => told.push(outcome))
  try {
    let taken = 0
    for await (const _ of observed.answer({} as AnswerRequest, new AbortController().signal)) {
      taken += 1
      if (taken === take) break
    }
  } catch {}
  return told
}

async function* whole() {
  yield text
  yield { type: 'end', reason: 'length' } satisfies ModelPart
}

async function* failing() {
  yield text
  throw new ModelError('broken')
}

test.each([
  ['its end', whole, 2, 'length'],
  ['its fault', failing, 2, 'broken'],
  ['aborted, where the caller leaves', whole, 1, 'aborted'],
] as const)('a call is told once, with %s', async (_, answer, take, outcome) => {
  expect(await outcomeOf(answer, take)).toEqual([outcome])
})

let status = 200
const seen: string[] = []
const server = createServer((request, response) => {
  const { authorization, 'anthropic-version': version = '' } = request.headers
  seen.push(`${request.method} ${request.url} ${authorization} ${version}`.trim())
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
  expect(seen).toEqual(['GET /v1/models Bearer sk-key', 'GET /v1/models Bearer sk-ant 2026-10-21'])
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
