import { afterEach, beforeEach, expect, test } from 'vitest'
import { openScriptedProvider, type ScriptedProvider } from '../../test/model/scripted-provider.ts'
import { createAnthropicModel } from './anthropic-model.ts'

let provider: ScriptedProvider
beforeEach(async () => {
  provider = await openScriptedProvider()
})
afterEach(() => provider.close())

async function ask(model: string, reason: boolean) {
  const request = {
    instructions: 'i',
    messages: [{ role: 'user' as const, content: 'q' }],
    question: 'q',
    passages: [],
  }
  const url = provider.url.replace(/\/v1$/, '')
  const driver = createAnthropicModel({ url, model, key: 'k', timeout: 30 })
  for await (const _ of driver.answer({ ...request, reason }, new AbortController().signal));
  return provider.chat.calls.at(-1)!
}

test('sends instructions, limit and key where Anthropic expects them', async () => {
  const call = await ask('claude-opus-4-8', false)
  expect(call.path).toBe('/v1/messages')
  expect(call.headers.authorization).toBe('Bearer k')
  expect(call.body).toMatchObject({
    system: 'i',
    max_tokens: 4096,
    messages: [{ role: 'user', content: 'q' }],
  })
  expect(call.body).not.toHaveProperty('thinking')
})

test.each([
  ['claude-3-7-sonnet-latest', 'enabled'],
  ['claude-sonnet-4-20250514', 'enabled'],
  ['claude-opus-4-1', 'enabled'],
  ['claude-haiku-4-5-20251001', 'enabled'],
  ['claude-opus-4-8', 'adaptive'],
  ['claude-sonnet-6', 'adaptive'],
])('asks %s to think: %s', async (model, type) => {
  const { body } = await ask(model, true)
  expect(body.thinking.type).toBe(type)
  expect(body.max_tokens).toBeGreaterThan(body.thinking.budget_tokens ?? 0)
})

test.each(['claude-3-5-haiku-latest', 'claude-3-haiku-20240307'])(
  'does not ask %s to think, which cannot',
  async (model) => {
    expect((await ask(model, true)).body).not.toHaveProperty('thinking')
  },
)

const passages = [
  { label: 2, title: 'Pool', url: 'https://docs.test/pool', score: 1, text: 'A pool holds ten connections.' },
  { label: 5, title: 'Cache', url: 'https://docs.test/cache', score: 1, text: 'Entries expire.' },
]

test("sends passages as documents, and puts the provider's citations after the text", async () => {
  provider.chat.play(async (call) => {
    await call.token('A pool holds')
    await call.token(' ten')
    await call.raw(call.dialect.cites(0, 'A pool holds ten connections.'))
    await call.raw(call.dialect.cites(0, 'ten connections'))
    await call.raw(call.dialect.cites(1, 'Entries expire.'))
    await call.reasoning('Hm.')
    await call.token('. Done.')
    await call.end()
  })
  const request = {
    instructions: 'i',
    messages: [{ role: 'user' as const, content: 'q' }],
    question: 'q',
    passages,
    reason: false,
  }
  const url = provider.url.replace(/\/v1$/, '')
  const driver = createAnthropicModel({ url, model: 'claude-opus-4-8', key: 'k', timeout: 30 })
  expect(driver.citesItself).toBe(true)
  const parts: unknown[] = []
  for await (const part of driver.answer(request, new AbortController().signal)) parts.push(part)
  expect(parts).toEqual([
    { type: 'text', text: 'A pool holds' },
    { type: 'text', text: ' ten' },
    { type: 'citation', label: 2, quote: 'A pool holds ten connections.' },
    { type: 'citation', label: 5, quote: 'Entries expire.' },
    { type: 'text', text: '. Done.' },
    { type: 'end', reason: 'stop' },
  ])
  const [{ content }] = provider.chat.calls.at(-1)!.body.messages
  expect(content).toMatchObject([
    { type: 'document', title: 'Pool', source: { data: passages[0]!.text }, citations: { enabled: true } },
    { type: 'document', title: 'Cache', context: 'https://docs.test/cache' },
    { type: 'text', text: 'q' },
  ])
})
