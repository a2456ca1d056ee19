// The contract of a model that answers over a provider's API (services/model/model.ts), over real sockets against the
// scripted provider.
import { setTimeout as pause } from 'node:timers/promises'
import { inspect } from 'node:util'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { type AnswerRequest, type Model, ModelError, type ModelFault } from '../../services/model/model.ts'
import type { End } from '../model/dialect.ts'
import { openScriptedProvider, type ScriptedProvider } from '../model/scripted-provider.ts'
import { answers, cutByLength, fails, faults, hangs, hangsAfter, hugeToken } from '../model/scripts.ts'

export interface ProviderSetting {
  /** Base address as the scripted provider gives it, `/v1` in it. */
  url: string
  key: string
  /** Seconds. */
  timeout: number
}

const key = 'sk-hunter2-hunter2'
const ask: AnswerRequest = {
  instructions: 'Answer from [1].',
  messages: [{ role: 'user', content: 'How?' }],
  question: 'how',
  passages: [],
  reason: false,
}
const never = new AbortController().signal

async function collect(model: Model, request = ask, signal = never) {
  let text = ''
  let end: End | null = null
  let error: unknown = null
  try {
    for await (const part of model.answer(request, signal)) {
      expect(end).toBeNull()
      if (part.type === 'end') end = part.reason
      else text += part.text
      if (part.type === 'text') expect(part.text).not.toBe('')
    }
  } catch (thrown) {
    error = thrown
  }
  return { text, end, error }
}

/** What the port says of each fault, and what had been said before it. */
const outcomes: Record<string, [fault: ModelFault, text: string]> = {
  'is refused with 401': ['refused', ''],
  'is refused with 403': ['refused', ''],
  'is refused with 404': ['refused', ''],
  'is held off with 429': ['rate_limited', ''],
  'fails with 500': ['unavailable', ''],
  'fails with 503': ['unavailable', ''],
  'hangs before the first word': ['silent', ''],
  'hangs in mid-stream': ['silent', 'The draft'],
  'sends a broken event': ['broken', 'The draft'],
  'sends an error event': ['broken', 'The draft'],
  'ends without a reason': ['broken', 'The draft'],
  'resets the connection before the first word': ['unavailable', ''],
  'breaks the connection off in mid-stream': ['broken', 'The draft'],
}

export function describeProviderModel(name: string, create: (setting: ProviderSetting) => Model) {
  describe(`model of ${name}`, () => {
    let provider: ScriptedProvider
    let model: Model
    const open = (timeout: number) => create({ url: provider.url, key, timeout })

    beforeEach(async () => {
      provider = await openScriptedProvider()
      model = open(30)
    })
    afterEach(() => provider.close())

    test('streams words as they come, and why they end', async () => {
      const held = provider.chat.hold()
      const parts = model.answer(ask, never)[Symbol.asyncIterator]()
      const first = parts.next()
      const call = await held
      await call.token('Hello')
      expect(await first).toEqual({ done: false, value: { type: 'text', text: 'Hello' } })
      await call.token(' there')
      expect((await parts.next()).value).toEqual({ type: 'text', text: ' there' })
      await call.end('stop')
      expect((await parts.next()).value).toEqual({ type: 'end', reason: 'stop' })
      expect((await parts.next()).done).toBe(true)
      expect(await call.closed).toBe('ended')
      expect(JSON.stringify(call.body)).toContain(ask.instructions)
      expect(call.body.messages.at(-1)).toEqual({ role: 'user', content: 'How?' })
    })

    test.each<End>(['stop', 'length', 'content_filter'])('ends with %s', async (reason) => {
      provider.chat.play(answers('So.', reason))
      expect(await collect(model)).toEqual({ text: 'So.', end: reason, error: null })
    })

    test('knows every fault', () => expect(Object.keys(outcomes)).toEqual(Object.keys(faults)))

    test.each(Object.entries(faults))('a provider that %s', async (fault, script) => {
      provider.chat.play(script)
      const { text, end, error } = await collect(fault.startsWith('hangs') ? open(0.3) : model)
      const [expected, draft] = outcomes[fault]!
      expect(text).toBe(draft)
      expect(end).toBeNull()
      expect(error).toBeInstanceOf(ModelError)
      expect(error).toMatchObject({ fault: expected, retryable: expected !== 'refused' })
      expect(provider.chat.calls).toHaveLength(1)
      await provider.chat.calls[0]!.closed

      expect(inspect(error, { depth: 20, showHidden: true, maxStringLength: null })).not.toContain(key)
      expect((error as Error).message).toBe(`the model is ${expected}`)
      expect(await collect(model), 'the next turn goes on').toMatchObject({ end: 'stop', error: null })
    })

    test('no more than one request is made, whatever headers ask for another', async () => {
      provider.chat.play(fails(503, { 'x-should-retry': 'true', 'retry-after': '0' }))
      expect((await collect(model)).error).toMatchObject({ fault: 'unavailable' })
      expect(provider.chat.calls).toHaveLength(1)
    })

    test.each([
      ['before the first word', hangs],
      ['in mid-stream', hangsAfter('The draft')],
    ])('an abort %s leaves the provider at once', async (_, script) => {
      const leave = new AbortController()
      const reason = new Error('the reader left')
      const came = Promise.withResolvers<void>()
      provider.chat.play(async (call) => {
        await script(call)
        came.resolve()
      })
      const answer = collect(model, ask, leave.signal)
      await came.promise
      leave.abort(reason)
      const { error } = await answer
      expect(error).toBe(reason)
      expect(await provider.chat.calls[0]!.closed).toBe('aborted')
    })

    test('an abort before the start asks nobody', async () => {
      const reason = new Error('gone')
      expect((await collect(model, ask, AbortSignal.abort(reason))).error).toBe(reason)
      expect(provider.chat.calls).toHaveLength(0)
    })

    test('an abort while the reader is slow leaves the provider, and is told next', async () => {
      const leave = new AbortController()
      provider.chat.play(hangsAfter('The draft'))
      const parts = model.answer(ask, leave.signal)[Symbol.asyncIterator]()
      await parts.next()
      leave.abort(new Error('the reader left'))
      expect(await provider.chat.calls[0]!.closed).toBe('aborted')
      await expect(parts.next()).rejects.toThrow('the reader left')
    })

    test('who stops reading leaves the provider', async () => {
      provider.chat.play(hangsAfter('The draft'))
      for await (const _ of model.answer(ask, never)) break
      expect(await provider.chat.calls[0]!.closed).toBe('aborted')
    })

    test('a slow reader is no silent provider', async () => {
      const patience = 0.2
      provider.chat.play(answers('one two'))
      const parts = open(patience).answer(ask, never)[Symbol.asyncIterator]()
      await parts.next()
      await pause(patience * 1000 * 2)
      expect((await parts.next()).value).toEqual({ type: 'text', text: ' two' })
      expect((await parts.next()).value).toEqual({ type: 'end', reason: 'stop' })
      await parts.return?.()
    })

    test('signs of life without a word are silence', async () => {
      provider.chat.play(async (call) => {
        const beat = setInterval(() => call.raw(': still here\n\n'), 20)
        await call.closed
        clearInterval(beat)
      })
      expect((await collect(open(0.2))).error).toMatchObject({ fault: 'silent' })
    })

    test('characters cut in pieces on the wire are whole', async () => {
      const text = 'naïve 日本語 🙂 عربى e\u0301'
      provider.chat.play(async (call) => {
        for (const byte of Buffer.from(call.dialect.token(text))) await call.raw(Uint8Array.of(byte))
        await call.end()
      })
      expect(await collect(model)).toEqual({ text, end: 'stop', error: null })
    })

    test('a huge token is passed on, an answer without end is broken', async () => {
      provider.chat.play(hugeToken(150_000), hugeToken(200_001))
      expect((await collect(model)).text).toHaveLength(150_000)
      expect(await collect(model)).toMatchObject({ text: '', error: { fault: 'broken' } })
    })

    test('thoughts are no part of the answer', async () => {
      provider.chat.play(async (call) => {
        await call.reasoning('The reader wants')
        await call.reasoning(' a yes.')
        await call.token('Yes.')
        await call.end()
      })
      expect(await collect(model, { ...ask, reason: true })).toEqual({
        text: 'Yes.',
        end: 'stop',
        error: null,
      })
    })

    test('a cut answer is gone on with: the reader has the last word, and nothing is empty', async () => {
      provider.chat.play(cutByLength('more'))
      const messages: AnswerRequest['messages'] = [
        { role: 'assistant', content: 'Welcome.' },
        { role: 'user', content: 'How?' },
        { role: 'assistant', content: '  ' },
        { role: 'user', content: 'How now?' },
        { role: 'assistant', content: 'First, ' },
      ]
      expect((await collect(model, { ...ask, messages })).end).toBe('length')
      const sent: AnswerRequest['messages'] = provider.chat.calls[0]!.body.messages
      const spoken = sent.filter((message) => ['user', 'assistant'].includes(message.role))
      expect(spoken.slice(0, -1)).toEqual([messages[1], messages[3], messages[4]])
      expect(spoken.at(-1)!.role).toBe('user')
    })

    test('a redirect is not followed: no other host gets key or passages', async () => {
      const other = await openScriptedProvider()
      for (const status of [301, 302, 307, 308]) {
        provider.chat.play(fails(status, { location: `${other.url}/chat/completions` }))
        expect((await collect(model)).error).toMatchObject({ fault: 'refused' })
      }
      expect(other.chat.calls).toHaveLength(0)
      await other.close()
    })

    test('what is no stream at all is broken', async () => {
      provider.chat.play((call) => call.json({ choices: [] }))
      expect((await collect(model)).error).toMatchObject({ fault: 'broken' })
    })

    test('many answers at once do not mix', async () => {
      provider.chat.fallback = (call) => answers(call.body.messages.at(-1).content)(call)
      const texts = Array.from({ length: 20 }, (_, n) => `This is answer ${n} of twenty.`)
      const given = await Promise.all(
        texts.map((content) => collect(model, { ...ask, messages: [{ role: 'user', content }] })),
      )
      expect(given.map(({ text }) => text)).toEqual(texts)
    })

    test('the environment of the providers’ own tools is not looked at', async () => {
      vi.stubEnv('OPENAI_API_KEY', 'other').stubEnv('OPENAI_BASE_URL', 'http://127.0.0.1:9/v1')
      vi.stubEnv('OPENAI_ORG_ID', 'other').stubEnv('OPENAI_PROJECT_ID', 'other')
      vi.stubEnv('ANTHROPIC_AUTH_TOKEN', 'other').stubEnv('ANTHROPIC_BASE_URL', 'http://127.0.0.1:9')
      try {
        expect((await collect(open(30))).end).toBe('stop')
      } finally {
        vi.unstubAllEnvs()
      }
      expect(Object.values(provider.chat.calls[0]!.headers)).not.toContain('other')
    })
  })
}
