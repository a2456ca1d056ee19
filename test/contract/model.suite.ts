// The contract of a model that answers through a provider's API (services/model/model.ts), over real sockets, against the
// scripted provider.
import { setTimeout as pause } from 'node:timers/promises'
import { inspect } from 'node:util'
import { describe, expect, test, vi } from 'vitest'
import { type AnswerRequest, type Model, ModelError, type ModelFault } from '../../services/model/model.ts'
import type { End } from '../model/dialect.ts'
import { openScriptedProvider, type ScriptedProvider } from '../model/scripted-provider.ts'
import { answers, cutByLength, fails, faults, hangs, hangsAfter, hugeToken } from '../model/scripts.ts'

export interface ProviderSetting {
  /** Base address of the scripted provider, including `/v1`. */
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
      if (part.type !== 'text') continue
      expect(part.text).not.toBe('')
      text += part.text
    }
  } catch (thrown) {
    error = thrown
  }
  return { text, end, error }
}

/** The error that the port reports for each fault, and the text received before. */
const outcomes: Record<string, [fault: ModelFault, text: string]> = {
  'refuses with 401': ['refused', ''],
  'refuses with 403': ['refused', ''],
  'refuses with 404': ['refused', ''],
  'throttles with 429': ['rate_limited', ''],
  'fails with 500': ['unavailable', ''],
  'fails with 503': ['unavailable', ''],
  'hangs before the first word': ['silent', ''],
  'hangs in mid-stream': ['silent', 'The draft'],
  'sends a broken event': ['broken', 'The draft'],
  'sends an error event': ['broken', 'The draft'],
  'ends without a reason': ['broken', 'The draft'],
  'resets the connection before the first word': ['unavailable', ''],
  'drops the connection in mid-stream': ['broken', 'The draft'],
}

/** Seconds that the model waits for a hanging provider. In mid-stream, the draft must arrive within them. */
const silences: Record<string, number> = { 'hangs before the first word': 0.3, 'hangs in mid-stream': 2 }

export interface ModelLab {
  provider: ScriptedProvider
  /** Has a timeout longer than any case. */
  model: Model
  /** Opens a model with a timeout in seconds. */
  open(timeout: number): Model
}

type ModelCases = Record<string, (lab: ModelLab) => Promise<void>>

function casesOf<Row>(rows: readonly Row[], toCase: (row: Row) => [string, ModelCases[string]]): ModelCases {
  return Object.fromEntries(rows.map(toCase))
}

const modelCases: ModelCases = {
  async 'streams text as it arrives, and the reason why it ended'(lab) {
    const held = lab.provider.chat.hold()
    const parts = lab.model.answer(ask, never)[Symbol.asyncIterator]()
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
  },
  ...casesOf(['stop', 'length', 'content_filter'] as const, (reason) => [
    `ends with ${reason}`,
    async (lab) => {
      lab.provider.chat.play(answers('So.', reason))
      expect(await collect(lab.model)).toEqual({ text: 'So.', end: reason, error: null })
    },
  ]),
  ...casesOf(Object.entries(faults), ([fault, script]) => [
    `a provider that ${fault}`,
    async (lab) => {
      lab.provider.chat.play(script)
      const { text, end, error } = await collect(silences[fault] ? lab.open(silences[fault]) : lab.model)
      const [expected, draft] = outcomes[fault]!
      expect(text).toBe(draft)
      expect(end).toBeNull()
      expect(error).toBeInstanceOf(ModelError)
      expect(error).toMatchObject({ fault: expected, retryable: expected !== 'refused' })
      expect(lab.provider.chat.calls).toHaveLength(1)
      await lab.provider.chat.calls[0]!.closed
      expect(inspect(error, { depth: 20, showHidden: true, maxStringLength: null })).not.toContain(key)
      expect((error as Error).message).toBe(`the model is ${expected}`)
      expect(await collect(lab.model), 'the next turn goes on').toMatchObject({ end: 'stop', error: null })
    },
  ]),
  async 'sends only one request, even if headers ask for a retry'(lab) {
    lab.provider.chat.play(fails(503, { 'x-should-retry': 'true', 'retry-after': '0' }))
    expect((await collect(lab.model)).error).toMatchObject({ fault: 'unavailable' })
    expect(lab.provider.chat.calls).toHaveLength(1)
  },
  ...casesOf(
    Object.entries({ 'before the first word': hangs, 'in mid-stream': hangsAfter('The draft') }),
    ([when, script]) => [
      `an abort ${when} leaves the provider at once`,
      async (lab) => {
        const leave = new AbortController()
        const reason = new Error('the reader left')
        const came = Promise.withResolvers<void>()
        lab.provider.chat.play(async (call) => {
          await script(call)
          came.resolve()
        })
        const answer = collect(lab.model, ask, leave.signal)
        await came.promise
        leave.abort(reason)
        const { error } = await answer
        expect(error).toBe(reason)
        expect(await lab.provider.chat.calls[0]!.closed).toBe('aborted')
      },
    ],
  ),
  async 'sends no request if aborted before the start'(lab) {
    const reason = new Error('gone')
    expect((await collect(lab.model, ask, AbortSignal.abort(reason))).error).toBe(reason)
    expect(lab.provider.chat.calls).toHaveLength(0)
  },
  async 'disconnects from the provider on an abort while the reader is slow, and rejects the next read'(lab) {
    const leave = new AbortController()
    lab.provider.chat.play(hangsAfter('The draft'))
    const parts = lab.model.answer(ask, leave.signal)[Symbol.asyncIterator]()
    await parts.next()
    leave.abort(new Error('the reader left'))
    expect(await lab.provider.chat.calls[0]!.closed).toBe('aborted')
    await expect(parts.next()).rejects.toThrow('the reader left')
  },
  async 'disconnects from the provider when the caller stops reading'(lab) {
    lab.provider.chat.play(hangsAfter('The draft'))
    for await (const _ of lab.model.answer(ask, never)) break
    expect(await lab.provider.chat.calls[0]!.closed).toBe('aborted')
  },
  async 'does not count a slow reader as a silent provider'(lab) {
    const timeout = 0.2
    lab.provider.chat.play(answers('one two'))
    const parts = lab.open(timeout).answer(ask, never)[Symbol.asyncIterator]()
    await parts.next()
    await pause(timeout * 1000 * 2)
    expect((await parts.next()).value).toEqual({ type: 'text', text: ' two' })
    expect((await parts.next()).value).toEqual({ type: 'end', reason: 'stop' })
    await parts.return?.()
  },
  async 'counts keep-alives without text as silence'(lab) {
    lab.provider.chat.play(async (call) => {
      const beat = setInterval(() => call.raw(': still here\n\n'), 20)
      await call.closed
      clearInterval(beat)
    })
    expect((await collect(lab.open(0.2))).error).toMatchObject({ fault: 'silent' })
  },
  async 'decodes characters split across packets'(lab) {
    const text = 'naïve 日本語 🙂 عربى e\u0301'
    lab.provider.chat.play(async (call) => {
      for (const byte of Buffer.from(call.dialect.token(text))) await call.raw(Uint8Array.of(byte))
      await call.end()
    })
    expect(await collect(lab.model)).toEqual({ text, end: 'stop', error: null })
  },
  async 'forwards a huge token, and rejects an endless answer as broken'(lab) {
    lab.provider.chat.play(hugeToken(150_000), hugeToken(200_001))
    expect((await collect(lab.model)).text).toHaveLength(150_000)
    expect(await collect(lab.model)).toMatchObject({ text: '', error: { fault: 'broken' } })
  },
  async 'omits reasoning from the answer'(lab) {
    lab.provider.chat.play(async (call) => {
      await call.reasoning('The reader wants')
      await call.reasoning(' a yes.')
      await call.token('Yes.')
      await call.end()
    })
    expect(await collect(lab.model, { ...ask, reason: true })).toEqual({
      text: 'Yes.',
      end: 'stop',
      error: null,
    })
  },
  async 'continues a cut answer: sends no empty messages and ends with the user’s'(lab) {
    lab.provider.chat.play(cutByLength('more'))
    const messages: AnswerRequest['messages'] = [
      { role: 'assistant', content: 'Welcome.' },
      { role: 'user', content: 'How?' },
      { role: 'assistant', content: '  ' },
      { role: 'user', content: 'How now?' },
      { role: 'assistant', content: 'First, ' },
    ]
    expect((await collect(lab.model, { ...ask, messages })).end).toBe('length')
    const sent: AnswerRequest['messages'] = lab.provider.chat.calls[0]!.body.messages
    const spoken = sent.filter((message) => ['user', 'assistant'].includes(message.role))
    expect(spoken.slice(0, -1)).toEqual([messages[1], messages[3], messages[4]])
    expect(spoken.at(-1)!.role).toBe('user')
  },
  async 'follows no redirect, so that no other host gets key or passages'(lab) {
    const other = await openScriptedProvider()
    for (const status of [301, 302, 307, 308]) {
      lab.provider.chat.play(fails(status, { location: `${other.url}/chat/completions` }))
      expect((await collect(lab.model)).error).toMatchObject({ fault: 'refused' })
    }
    expect(other.chat.calls).toHaveLength(0)
    await other.close()
  },
  async 'reports a response that is not a stream as broken'(lab) {
    lab.provider.chat.play((call) => call.json({ choices: [] }))
    expect((await collect(lab.model)).error).toMatchObject({ fault: 'broken' })
  },
  async 'keeps concurrent answers apart'(lab) {
    lab.provider.chat.fallback = (call) => answers(call.body.messages.at(-1).content)(call)
    const texts = Array.from({ length: 20 }, (_, n) => `This is answer ${n} of twenty.`)
    const given = await Promise.all(
      texts.map((content) => collect(lab.model, { ...ask, messages: [{ role: 'user', content }] })),
    )
    expect(given.map(({ text }) => text)).toEqual(texts)
  },
  async 'ignores the environment variables of the providers’ own tools'(lab) {
    vi.stubEnv('OPENAI_API_KEY', 'other').stubEnv('OPENAI_BASE_URL', 'http://127.0.0.1:9/v1')
    vi.stubEnv('OPENAI_ORG_ID', 'other').stubEnv('OPENAI_PROJECT_ID', 'other')
    vi.stubEnv('ANTHROPIC_AUTH_TOKEN', 'other').stubEnv('ANTHROPIC_BASE_URL', 'http://127.0.0.1:9')
    try {
      expect((await collect(lab.open(30))).end).toBe('stop')
    } finally {
      vi.unstubAllEnvs()
    }
    expect(Object.values(lab.provider.chat.calls[0]!.headers)).not.toContain('other')
  },
}

/** Runs a case on a new provider. */
async function runModelCase(
  run: ModelCases[string],
  create: (setting: ProviderSetting) => Model,
): Promise<void> {
  const provider = await openScriptedProvider()
  const open = (timeout: number) => create({ url: provider.url, key, timeout })
  try {
    await run({ provider, model: open(30), open })
  } finally {
    await provider.close()
  }
}

export function describeProviderModel(name: string, create: (setting: ProviderSetting) => Model) {
  describe(`model of ${name}`, () => {
    test('has a case for every fault', () => expect(Object.keys(outcomes)).toEqual(Object.keys(faults)))

    for (const [name, run] of Object.entries(modelCases)) test(name, () => runModelCase(run, create))
  })
}
