import { describe, expect, it } from 'vitest'
import { readLanguages } from '../../test/read-languages.ts'
import { checkAnswer } from './check-answer.ts'
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
const check = (draft: string) => checkAnswer(draft, passages, byWords, idle)

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
      dropped: [{ text: '[3] It opens a connection to the server.', why: expect.any(String) }],
      isUnsupported: false,
    })
  })

  it('drops invented and unsupported ones; their sentences stay', async () => {
    const { text, sources, cited, dropped } = await check(
      'It opens a connection to the server [7]. It encrypts all traffic with TLS [1].\n\n- Closes the connection. [2, 9]',
    )
    expect(text).toBe(
      'It opens a connection to the server. It encrypts all traffic with TLS.\n\n- Closes the connection. [1]',
    )
    expect(sources).toEqual([{ title: 'close', url: 'https://x.org/pool.html#close' }])
    expect(cited).toEqual([2])
    expect(dropped.map(({ text }) => text.slice(0, 3))).toEqual(['[7]', '[1]', '[9]'])
    expect(dropped[0]!.why).toBe('no such passage')
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

  it('holds each of several citations to a part of the sentence', async () => {
    const { text, dropped } = await check(
      'Waiting calls fail with ClosedError [2], and a timeout of zero disables waiting [3][1].',
    )
    expect(text).toBe('Waiting calls fail with ClosedError [1], and a timeout of zero disables waiting [2].')
    expect(dropped.map(({ text }) => text.slice(0, 3))).toEqual(['[1]'])
  })

  it('reads what models make of citations', async () => {
    for (const mark of ['[1]', ' [^1]', '【1】', '[1](https://x.org/pool.html)']) {
      expect((await check(`Opens a connection to the server${mark}.`)).cited).toEqual([1])
    }
  })

  it('leaves code and subscripts alone', async () => {
    const draft = 'Closes the connection [2]. See `calls[9]` and args[0].\n\n```\nx = y[9] # [2]\n```'
    expect((await check(draft)).text).toBe(draft.replace('[2].', '[1].'))
  })

  it('takes subscripts in code and in prose for what they are', async () => {
    const draft = 'Closes the connection [2]. Use array[1] in SQL: `SELECT a[1], b[2][3] FROM t` is `a[9]`.'
    expect((await check(draft)).text).toBe(draft.replace('connection [2]', 'connection [1]'))
  })

  it('holds a sentence of another language to its names and numbers', async () => {
    const german = async (text: string) => (await check(text)).cited
    expect(await german('Wartende Aufrufe schlagen danach mit `ClosedError` fehl [2].')).toEqual([2])
    expect(await german('Wartende Aufrufe schlagen danach mit `TimeoutError` fehl [2].')).toEqual([])
    expect(await german('Wartende Aufrufe schlagen danach nach 30 Sekunden fehl [2].')).toEqual([])
  })

  it('takes any number of citations in little time', async () => {
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

  it('checks 100 citations, and removes the others', async () => {
    const { text, dropped } = await check('Closes the connection [2].\n\n'.repeat(102))
    expect(text.match(/\[1\]/g)).toHaveLength(100)
    expect(dropped.map(({ why }) => why)).toEqual(Array(2).fill('too many to be checked'))
  })

  it('tells of 100 citations that were removed', async () => {
    const { text, dropped } = await check('It is blue [9].\n\n'.repeat(102))
    expect(text).not.toContain('[')
    expect(dropped).toHaveLength(100)
  })

  it('takes a citation behind an example for the example', async () => {
    const draft = 'For example [1]:\n\n```\nconn = connect("db")\n```\n\n[1]'
    expect(await check(draft)).toMatchObject({ text: draft, cited: [1], dropped: [] })
    expect((await check('```\nrm -rf data\n```\n[1]')).text).toBe('```\nrm -rf data\n```')
  })

  it('does not name as a source what was found not to bear out its citation', async () => {
    const strict = createJudge(null, async (pairs) => pairs.map(() => false), readLanguages)
    const draft = 'Opens a connection to the server [1].'
    expect(await checkAnswer(draft, passages, strict, idle)).toMatchObject({
      sources: [],
      text: 'Opens a connection to the server.',
      isUnsupported: true,
    })
  })

  it('names no source where every citation was removed', async () => {
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
    expect(await checkAnswer('', [], byWords, idle)).toEqual({
      text: '',
      sources: [],
      cited: [],
      dropped: [],
      isUnsupported: false,
    })
  })
})
