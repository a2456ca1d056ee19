import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { openScriptedProvider, type ScriptedProvider } from '../../test/model/scripted-provider.ts'
import { answers, breaksOff, fails, hangs } from '../../test/model/scripts.ts'
import { createModel } from '../create-model.ts'
import type { Pair } from './citation-check.ts'
import { createVerify, readVerdicts } from './verify-citations.ts'

const pool = { title: 'Pool', text: 'A pool holds ten connections.' }
const cache = { title: 'Cache', text: 'Entries expire after an hour.' }
const pair = (text: string, passage: Pair['passage']): Pair => ({ claim: { kind: 'prose', text }, passage })
const pairs = [
  pair('A pool holds ten connections.', pool),
  pair('A pool is never full.', pool),
  pair('Entries expire.', cache),
]
const verdicts = (...supported: boolean[]) =>
  JSON.stringify({ verdicts: supported.map((each, at) => ({ claim: at + 1, supported: each })) })

describe('createVerify', () => {
  let provider: ScriptedProvider
  let reported: unknown[]
  const open = new AbortController().signal

  beforeEach(async () => {
    provider = await openScriptedProvider()
    reported = []
  })
  afterEach(() => provider.close())

  async function verify(asked = pairs, signal = open, timeout?: number) {
    const model = createModel({
      provider: 'openai-compatible',
      url: provider.url,
      model: 'scripted',
      key: null,
      timeout: 5,
      verify: true,
    })
    return createVerify(model, (error) => reported.push(error), timeout)(asked, signal)
  }

  it('sends each passage once, with the claims that cite it', async () => {
    provider.chat.play(answers(verdicts(true, false, true)))
    await verify()
    const asked = provider.chat.calls[0]!.body as { messages: { role: string; content: string }[] }
    expect(JSON.parse(asked.messages.at(-1)!.content)).toEqual({
      passages: [
        { passage: 1, ...pool },
        { passage: 2, ...cache },
      ],
      claims: [
        { claim: 1, passage: 1, text: 'A pool holds ten connections.' },
        { claim: 2, passage: 1, text: 'A pool is never full.' },
        { claim: 3, passage: 2, text: 'Entries expire.' },
      ],
    })
  })

  it('judges the first 40 claims, and makes no call without claims', async () => {
    provider.chat.play(answers(verdicts(...Array<boolean>(40).fill(true))))
    const many = Array.from({ length: 45 }, () => pairs[0]!)
    expect(await verify(many)).toEqual([...Array(40).fill(true), ...Array(5).fill(null)])
    expect(await verify([])).toEqual([])
    expect(provider.chat.calls).toHaveLength(1)
  })

  it.each([
    ['surrounding words', answers(`Sure! ${verdicts(true, true, true)}`)],
    ['a missing claim', answers(verdicts(true, true))],
    ['a truncated reply', answers('{"verdicts": [')],
    ['a refused call', fails(401)],
    ['a broken stream', breaksOff('{"verdicts"')],
    ['an endless reply', answers(`${verdicts(true, true, true)}${' '.repeat(5_000)}`)],
  ])('judges nothing after %s, and reports why', async (_, script) => {
    provider.chat.play(script)
    expect(await verify()).toEqual([null, null, null])
    expect(reported).toHaveLength(1)
  })

  it('gives up after its timeout', async () => {
    provider.chat.play(hangs)
    expect(await verify(pairs, open, 50)).toEqual([null, null, null])
    expect(reported).toHaveLength(1)
  })

  it('makes no call for a reader who left', async () => {
    expect(await verify(pairs, AbortSignal.abort())).toEqual([null, null, null])
    expect(provider.chat.calls).toHaveLength(0)
  })
})

describe('readVerdicts', () => {
  it('accepts verdicts in any order, and within a code fence', () => {
    const reply = '{"verdicts": [{"claim": 2, "supported": false}, {"claim": 1, "supported": true}]}'
    expect(readVerdicts(reply, 2)).toEqual([true, false])
    expect(readVerdicts(`\n\`\`\`json\n${reply}\n\`\`\`\n`, 2)).toEqual([true, false])
  })

  it.each([
    '',
    'null',
    '[]',
    '{}',
    '{"verdicts": [null]}',
    '{"verdicts": [{"claim": 1, "supported": "yes"}]}',
    '{"verdicts": [{"claim": 2, "supported": true}]}',
    '{"verdicts": [{"claim": 0.5, "supported": true}]}',
    '{"verdicts": [{"claim": 1, "supported": true}, {"claim": 1, "supported": true}]}',
  ])('rejects %s', (reply) => {
    expect(() => readVerdicts(reply, 1)).toThrow()
  })
})
