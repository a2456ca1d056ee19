import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type AnswerRequest, type Model, ModelError, type ModelPart } from './model.ts'
import { type CallOutcome, createModelProbe, observeModel, probeWarning } from './model-health.ts'

const text: ModelPart = { type: 'text', text: 'a' }

async function outcomeOf(answer: () => AsyncGenerator<ModelPart>, take: number): Promise<CallOutcome[]> {
  const outcomes: CallOutcome[] = []
  const model: Model = { name: 'm', answer }
  const observed = observeModel(model, (outcome) => outcomes.push(outcome))
  try {
    let count = 0
    for await (const _ of observed.answer({} as AnswerRequest, new AbortController().signal)) {
      count += 1
      if (count === take) break
    }
  } catch {}
  return outcomes
}

async function* complete() {
  yield text
  yield { type: 'end', reason: 'length' } satisfies ModelPart
}

async function* failing() {
  yield text
  throw new ModelError('broken')
}

test.each([
  ['its end', complete, 2, 'length'],
  ['its failure', failing, 2, 'broken'],
  ['aborted, if the caller leaves', complete, 1, 'aborted'],
] as const)('reports a call once, with %s', async (_, answer, take, outcome) => {
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
])('reports a provider that returns %d as %s', async (answer, fault) => {
  status = answer
  if (fault === null) await probe()
  else await expect(probe()).rejects.toMatchObject({ fault })
})

test('reports a provider that does not respond as unavailable', async () => {
  await expect(probe('http://127.0.0.1:1/v1')).rejects.toMatchObject({ fault: 'unavailable' })
})

test('requests the models of each provider with its own headers', async () => {
  status = 200
  seen.length = 0
  await probe()
  await createModelProbe({ provider: 'anthropic', url: urlOf().slice(0, -3), key: 'sk-ant' })()
  expect(seen).toEqual(['GET /v1/models Bearer sk-key', 'GET /v1/models Bearer sk-ant 2026-10-21'])
})

test('caches a result for half a minute', async () => {
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

test('names the variable and the host in the warning, and no secret', async () => {
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
