import fc from 'fast-check'
import { describe, expect, it, test } from 'vitest'
import { readLanguages } from '../../test/read-languages.ts'
import { checkAnswer, createCheckedTokens, rememberObjections } from './check-answer.ts'
import { createJudge } from './citation-check.ts'

const passages = [
  {
    label: 1,
    title: 'connect',
    url: 'https://x.org/pool.html#connect',
    score: 1,
    text: 'Opens a connection to the server.\n\n```\nconn = connect("db")\n```',
  },
  {
    label: 2,
    title: 'close',
    url: 'https://x.org/pool.html#close',
    score: 1,
    text: 'Closes the connection. Waiting calls fail with ClosedError.',
  },
  {
    label: 3,
    title: 'connect',
    url: 'https://x.org/pool.html#connect',
    score: 1,
    text: 'A timeout of zero disables waiting.',
  },
]
const byWords = createJudge(null, null, readLanguages)
const idle = new AbortController().signal
const check = (draft: string) => checkAnswer(draft, passages, new Map(), byWords, idle)

describe('checkAnswer', () => {
  it('keeps supported citations and numbers them by their sources', async () => {
    expect(
      await check('Waiting calls fail with ClosedError [2]. It opens a connection to the server [1][3].'),
    ).toEqual({
      text: 'Waiting calls fail with ClosedError [1]. It opens a connection to the server [2].',
      sources: [
        { title: 'close', url: 'https://x.org/pool.html#close' },
        { title: 'connect', url: 'https://x.org/pool.html#connect' },
      ],
      cited: [2, 1],
      quotes: new Map(),
      dropped: [{ text: '[3] It opens a connection to the server.', why: expect.any(String) }],
      isUnsupported: false,
    })
  })

  it('names one section once, whichever of its passages are cited', async () => {
    const { text, sources } = await check(
      'Opens a connection to the server [1]. A timeout of zero disables waiting [3].',
    )
    expect(text).toBe('Opens a connection to the server [1]. A timeout of zero disables waiting [1].')
    expect(sources).toHaveLength(1)
    expect(
      (await check('Opens a connection to the server; a timeout of zero disables waiting [1][3].')).sources,
    ).toHaveLength(1)
  })

  it('checks each of several citations against its part of the sentence', async () => {
    const { text, dropped } = await check(
      'Waiting calls fail with ClosedError [2], and a timeout of zero disables waiting [3][1].',
    )
    expect(text).toBe('Waiting calls fail with ClosedError [1], and a timeout of zero disables waiting [2].')
    expect(dropped.map(({ text }) => text.slice(0, 3))).toEqual(['[1]'])
  })

  it('reads the forms of citations that models write', async () => {
    for (const mark of ['[1]', ' [^1]', '【1】', '[1](https://x.org/pool.html)']) {
      expect((await check(`Opens a connection to the server${mark}.`)).cited).toEqual([1])
    }
  })

  it('does not read subscripts in code or prose as citations', async () => {
    const draft = 'Closes the connection [2]. Use array[1] in SQL: `SELECT a[1], b[2][3] FROM t` is `a[9]`.'
    expect((await check(draft)).text).toBe(draft.replace('connection [2]', 'connection [1]'))
  })

  it('bounds the work for drafts with thousands of citations', async () => {
    for (const draft of [
      '[1][2][3] '.repeat(3_000),
      '[1]('.repeat(8_000),
      'word. '.repeat(20_000),
      '`'.repeat(30_001),
      '. '.repeat(20_000),
      `${'.'.repeat(20_000)}x`,
    ]) {
      expect((await check(draft)).sources.length).toBeLessThan(5)
    }
  }, 10_000)

  it('checks 100 citations and removes the rest', async () => {
    const { text, dropped } = await check('Closes the connection [2].\n\n'.repeat(102))
    expect(text.match(/\[1\]/g)).toHaveLength(100)
    expect(dropped.map(({ why }) => why)).toEqual(Array(2).fill('too many to be checked'))
  })

  it('reports at most 100 removed citations', async () => {
    const { text, dropped } = await check('It is blue [9].\n\n'.repeat(102))
    expect(text).not.toContain('[')
    expect(dropped).toHaveLength(100)
  })

  it('reads a citation after a code block as a citation of the code', async () => {
    const draft = 'For example [1]:\n\n```\nconn = connect("db")\n```\n\n[1]'
    expect(await check(draft)).toMatchObject({ text: draft, cited: [1], dropped: [] })
    expect((await check('```\nrm -rf data\n```\n[1]')).text).toBe('```\nrm -rf data\n```')
  })

  it('lists no source if every citation was removed', async () => {
    const draft = 'A timeout of zero disables waiting. It is red [1]. It is invented [9].'
    expect(await check(draft)).toMatchObject({
      text: 'A timeout of zero disables waiting. It is red. It is invented.',
      sources: [],
      cited: [],
      isUnsupported: true,
    })
    expect(await check(`${draft} Closes the connection [2].`)).toMatchObject({
      cited: [2],
      isUnsupported: false,
    })
  })

  it('finds the sources of a draft that cites nothing', async () => {
    const draft = 'A timeout of zero disables waiting. Closes the connection. It is blue.'
    expect(await check(draft)).toMatchObject({ text: draft, cited: [3, 2], dropped: [] })
    expect(await check('I do not know.')).toMatchObject({ sources: [], cited: [] })
    expect(await checkAnswer('', [], new Map(), byWords, idle)).toEqual({
      text: '',
      sources: [],
      cited: [],
      quotes: new Map(),
      dropped: [],
      isUnsupported: false,
    })
  })
})

/** A check that removes `[9]` and keeps every other citation. */
const toChecked = (draft: string) => draft.replace(/\s*\[9\]/g, '').trimEnd()

/** Returns what was sent after each piece, and at the end of the answer. */
async function stream(pieces: string[], { draft = '', end = '', isCostly = false } = {}) {
  const sent: string[] = []
  const seen: string[] = []
  const check = async (text: string) => toChecked(text)
  const tokens = createCheckedTokens({
    draft,
    check: isCostly ? null : check,
    send: (text) => sent.push(text),
  })
  for (const piece of pieces) {
    tokens.push(piece)
    await new Promise(setImmediate)
    seen.push(sent.join(''))
  }
  await tokens.end(toChecked(draft + pieces.join('')) + end)
  return { seen, sent, text: draft + sent.join('') }
}

test('sends text without a bracket at once', async () => {
  const { seen } = await stream(['One', ' two.\n', '\nThree '])
  expect(seen).toEqual(['One', 'One two.', 'One two.\n\nThree'])
})

test('holds a citation back until its block is complete and checked', async () => {
  const { seen, text } = await stream([
    'It is so',
    ' [1]. It is',
    ' not [9].',
    '\n\n',
    'Next',
    ' one.\n\nLast',
    ' [9].',
  ])
  expect(seen).toEqual([
    'It is so',
    'It is so',
    'It is so',
    'It is so',
    'It is so [1]. It is not.\n\nNext',
    'It is so [1]. It is not.\n\nNext one.\n\nLast',
    'It is so [1]. It is not.\n\nNext one.\n\nLast',
  ])
  expect(text).toBe('It is so [1]. It is not.\n\nNext one.\n\nLast.')
})

test('holds back a block that introduces an example until the example is complete', async () => {
  const { seen } = await stream(['Do this [1]:\n\n', '```\nx\n', '```\n\n', 'Then\n'])
  expect(seen).toEqual(['Do this', 'Do this', 'Do this', 'Do this [1]:\n\n```\nx\n```\n\nThen'])
})

test('checks each list item as a block', async () => {
  const { seen } = await stream(['- one [1]\n', '- two [9]\n', '- three'])
  expect(seen.at(-1)).toBe('- one [1]\n- two\n- three')
})

test('sends text that the end adds', async () => {
  expect((await stream(['A [1].'], { end: '\n\nSee also: b' })).text).toBe('A [1].\n\nSee also: b')
})

test('checks nothing before the end if a check costs a model call', async () => {
  const { seen, text } = await stream(['A [1].\n\n', 'B [9].\n\nC'], { isCostly: true })
  expect([seen, text]).toEqual([['A', 'A'], 'A [1].\n\nB.\n\nC'])
})

test('sends a continued answer from where it was cut', async () => {
  const { sent, text } = await stream([' and more [9].\n\n', 'End'], { draft: 'One [1]' })
  expect(text).toBe('One [1] and more.\n\nEnd')
  expect(sent.join('')).toBe(' and more.\n\nEnd')
})

test('sends no citation that the check removes, however the draft is split', async () => {
  const part = fc.constantFrom('a', ' [1]', ' [9]', '. ', '\n', '\n\n', '- b', '```\n', ':', '`', '[', ']')
  await fc.assert(
    fc.asyncProperty(fc.array(part, { maxLength: 40, size: 'max' }), async (parts) => {
      const { seen, text } = await stream(parts)
      expect(text).toBe(toChecked(parts.join('')))
      for (const each of seen) expect(each).not.toMatch(/\[9\]/)
    }),
  )
})

test('asks the judge about each pair once', async () => {
  const asked: string[] = []
  const judge = rememberObjections({
    isCostly: false,
    readEvidence: async () => [],
    async toObjections(pairs) {
      asked.push(...pairs.map(({ claim }) => claim.text))
      return pairs.map(({ claim }) => (claim.text === 'no' ? 'why' : null))
    },
  })
  const passage = { title: '', text: '' }
  const pairs = ['yes', 'no'].map((text) => ({ claim: { kind: 'prose' as const, text }, passage }))
  const { signal } = new AbortController()
  expect(await judge.toObjections(pairs, signal)).toEqual([null, 'why'])
  expect(await judge.toObjections([...pairs, { ...pairs[1]!, passage: { ...passage } }], signal)).toEqual([
    null,
    'why',
    'why',
  ])
  expect(asked).toEqual(['yes', 'no', 'no'])
})
