import fc from 'fast-check'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { openScriptedProvider, type ScriptedProvider } from '../../test/model/scripted-provider.ts'
import { createOpenaiModel, createThoughtFilter } from './openai-model.ts'

let provider: ScriptedProvider
beforeEach(async () => {
  provider = await openScriptedProvider()
})
afterEach(() => provider.close())

async function answer(model: string, reason: boolean, key: string | null = null) {
  const { url } = provider
  const request = {
    instructions: 'i',
    messages: [{ role: 'user' as const, content: 'q' }],
    question: 'q',
    passages: [],
  }
  const driver = createOpenaiModel({ provider: 'openai-compatible', url, model, key, timeout: 30 })
  let text = ''
  for await (const part of driver.answer({ ...request, reason }, new AbortController().signal)) {
    if (part.type !== 'citation') text += part.type === 'text' ? part.text : `(${part.reason})`
  }
  return { text, call: provider.chat.calls.at(-1)! }
}

test.each(['gpt-5.1', 'o4-mini', 'openai/gpt-oss-20b', 'qwen3:8b', 'deepseek-r1:14b', 'kimi-k2-thinking'])(
  'asks %s to reason, but only if requested',
  async (model) => {
    expect((await answer(model, true)).call.body.reasoning_effort).toBe('high')
    expect((await answer(model, false)).call.body).not.toHaveProperty('reasoning_effort')
  },
)

test.each(['gpt-4o', 'gpt-5-chat-latest', 'llama3.2', 'mistral-small', 'qwen3-coder:30b'])(
  'does not ask %s to reason, which would reject it',
  async (model) => {
    expect((await answer(model, true)).call.body).not.toHaveProperty('reasoning_effort')
  },
)

test('sends a key as a bearer token, and no header without a key', async () => {
  expect((await answer('m', false, 'k')).call.headers.authorization).toBe('Bearer k')
  expect((await answer('m', false)).call.headers).not.toHaveProperty('authorization')
})

test('reports a refusal as filtered, without its text', async () => {
  provider.chat.play(async (call) => {
    await call.refusal('I cannot help with that.')
    await call.end('stop')
  })
  expect((await answer('m', false)).text).toBe('(content_filter)')
})

test('accepts chunks without a choice, and unknown finish reasons', async () => {
  provider.chat.play(async (call) => {
    await call.raw('data: {"choices":[],"usage":{}}\n\ndata: {}\n\ndata: {"choices":[{"delta":null}]}\n\n')
    await call.token('So.')
    await call.raw('data: {"choices":[{"delta":{"content":null},"finish_reason":"eos"}]}\n\n')
    call.hangUp()
  })
  expect((await answer('m', false)).text).toBe('So.(stop)')
})

test('fails if an event never ends', async () => {
  provider.chat.play(async (call) => {
    for (let times = 0; times < 21; times++) await call.raw(`data: ${'x'.repeat(100_000)}\n`)
    await call.closed
  })
  await expect(answer('m', false)).rejects.toMatchObject({ fault: 'broken' })
})

test('reads the status of an error event', async () => {
  provider.chat.play(async (call) => {
    await call.raw('data: {"error":{"code":429,"message":"later"}}\n\n')
    call.hangUp()
  })
  await expect(answer('m', false)).rejects.toMatchObject({ fault: 'rate_limited' })
})

describe('thoughts', () => {
  const read = (pieces: string[]) => {
    const filter = createThoughtFilter()
    return pieces.map((piece) => filter(piece))
  }

  /** Splits the text at these places, in any order, some of them beyond its end. */
  const cut = (text: string, places: number[]) => {
    const edges = [0, ...places.map((place) => place % (text.length + 1)).sort((a, b) => a - b), text.length]
    return edges.slice(1).map((edge, n) => text.slice(edges[n], edge))
  }

  test('are removed from the worked example', () => {
    expect(read(['<thi', 'nk>Let me see.</th', 'ink>\n\nCall ', 'f().'])).toEqual(['', '', 'Call ', 'f().'])
  })

  test('do not delay text where none can start', () => {
    expect(read(['H', 'i', ' <think>'])).toEqual(['H', 'i', ' <think>'])
    expect(read(['\n', '<', 'b>'])).toEqual(['', '', '\n<b>'])
  })

  test('without an end have no text', () => {
    expect(read(['<think>', 'on and', ' on']).join('')).toBe('')
  })

  test('are removed however the text is split', () => {
    fc.assert(
      fc.property(
        fc.constantFrom(
          '',
          '<think>',
          '  <think>a < b</thin </think>\n\n',
          '<think></think>',
          '<thin',
          '<thinker>',
        ),
        fc.string(),
        fc.array(fc.nat()),
        (before, after, places) => {
          const text = before + after
          expect(read(cut(text, places)).join('')).toBe(read([text]).join(''))
        },
      ),
    )
  })

  test('end where the answer starts', () => {
    fc.assert(
      fc.property(fc.string({ minLength: 1 }), fc.array(fc.nat()), (answer, places) => {
        fc.pre(answer.trimStart() === answer)
        expect(read(cut(`<think>a\n</thing></think>\n\n${answer}`, places)).join('')).toBe(answer)
      }),
    )
  })
})
