import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { createQuotedCitations, findQuote, type Quotes } from './quoted-citations.ts'

function read(...pieces: string[]) {
  const quotes: Quotes = new Map()
  const citations = createQuotedCitations(quotes)
  const seen = pieces.map((piece) => citations.push(piece))
  seen.push(citations.end())
  return { text: seen.join(''), seen, quotes: Object.fromEntries(quotes) }
}

describe('createQuotedCitations', () => {
  const cases: [answer: string, text: string, quotes: Record<string, string>][] = [
    ['It is so [1: "It is so"]. More.', 'It is so [1]. More.', { '1 1': 'It is so' }],
    [
      'A [1: "a"]. B [1]. C [1: "c"][2: "d"].',
      'A [1]. B [1]. C [1][2].',
      { '1 1': 'a', '1 3': 'c', '2 1': 'd' },
    ],
    ['A [1: "a"; 2: "b, 3: c"].', 'A [1][2].', { '1 1': 'a', '2 1': 'b, 3: c' }],
    ['A [1:“a”], B [^2 : «b»].', 'A [1], B [2].', { '1 1': 'a', '2 1': 'b' }],
    ['A [1: "set `x[0]` to "y" [2]"].', 'A [1].', { '1 1': 'set `x[0]` to "y" [2]' }],
    ['A [1: "over\ntwo lines"].', 'A [1].', { '1 1': 'over\ntwo lines' }],
    ['A `let a = [1: "one"]` b.', 'A `let a = [1: "one"]` b.', {}],
    ['A ` b [1: "a ` mark"] c.', 'A ` b [1] c.', { '1 1': 'a ` mark' }],
    ['```swift\nlet a = [1: "one"]\n```\n[1: "b"]', '```swift\nlet a = [1: "one"]\n```\n[1]', { '1 1': 'b' }],
    ['a[1:3] and [1: see] and [x](y) and [2]', 'a[1:3] and [1: see] and [x](y) and [2]', {}],
    ['Cut [1: "exact wo', 'Cut [1]', { '1 1': 'exact wo' }],
    [
      'Open [1: "exact words] and on.\n\nNext "x"].',
      'Open [1] and on.\n\nNext "x"].',
      { '1 1': 'exact words' },
    ],
  ]
  it.each(cases)('%j', (answer, text, quotes) => {
    expect(read(answer)).toMatchObject({ text, quotes })
    expect(Object.keys(read(answer).quotes)).toHaveLength(Object.keys(quotes).length)
    expect(read(...answer)).toMatchObject({ text, quotes })
  })

  it('lets text out at once, and waits for what may become a citation', () => {
    expect(read('One ', 'two [', '1: "a', ' b"', '] three').seen).toEqual([
      'One ',
      'two ',
      '',
      '',
      '[1] three',
      '',
    ])
    expect(read('One [', 'link](x)').seen).toEqual(['One ', '[link](x)', ''])
  })

  it('gives up on what is not closed within a thousand characters', () => {
    const { text } = read('A [1: "', ...Array<string>(300).fill('word '), '"] end')
    expect(text.length).toBeLessThan(600)
    expect(text).toMatch(/^A \[1\]/u)
  })

  it('lets no quoted word out, however the answer is cut', () => {
    const part = fc.constantFrom(
      ...['Text', ' ', '. ', '\n', '\n\n', '- ', '`', '```\n', '[', ']', '[2]', '[1: "SECRET words"]'],
      ...['[2: “SECRET”; 3: "SECRET [4]"]', '[1: "SECRET `a`"]', '[x](y) ', '1. ', '"', ': '],
    )
    const answers = fc.array(part, { maxLength: 40, size: 'max' }).map((parts) => parts.join(''))
    fc.assert(
      fc.property(answers, fc.array(fc.nat(30), { minLength: 1 }), (answer, cuts) => {
        const pieces: string[] = []
        for (let at = 0, n = 0; at < answer.length; n++) {
          const length = cuts[n % cuts.length]! + 1
          pieces.push(answer.slice(at, at + length))
          at += length
        }
        const { text, quotes } = read(...pieces)
        expect(read(answer)).toMatchObject({ text, quotes })
        if (!answer.includes('`')) expect(text).not.toContain('SECRET')
      }),
    )
  })

  it('puts what a provider cites behind the text, and below a block of code', () => {
    const quotes: Quotes = new Map()
    const citations = createQuotedCitations(quotes)
    const text = [
      citations.push('It is so'),
      citations.cite(1, 'a'),
      citations.cite(2, 'b'),
      citations.push('. Run:\n\n```\nmake'),
      citations.cite(3, 'c'),
      citations.push('\n```'),
      citations.cite(1, 'd'),
      citations.push('\n\nEnd'),
      citations.end(),
    ].join('')
    expect(text).toMatch(/^It is so \[1\]\[2\]\. Run:\n\n```\nmake\n```\n\n\[3\]\s*\[1\]\s*End$/u)
    expect(Object.fromEntries(quotes)).toEqual({ '1 1': 'a', '2 1': 'b', '3 1': 'c', '1 2': 'd' })
  })
})

describe('findQuote', () => {
  const text =
    'A call waits 300 seconds,\nor "as long" as `idle_timeout` says.\n\n- Set *it* to 3.11.\n\n```\nconn = a | b\n```'
  const cases: [quote: string, found: string | null][] = [
    ['A call waits 300 seconds', 'A call waits 300 seconds'],
    [
      'waits  300 seconds, or as long as idle_timeout says.',
      'waits 300 seconds, or "as long" as `idle_timeout` says.',
    ],
    ['waits 30', null],
    ['00 seconds', null],
    ['waits 400 seconds', null],
    ['a call waits', null],
    ['as idletimeout says', null],
    ['**Set it** to 3.11', 'Set *it* to 3.11.'],
    ['says. Set it to', 'says. - Set *it* to'],
    ['conn = a | b', 'conn = a | b'],
    ['', null],
    ['*"', null],
  ]
  it.each(cases)('%j', (quote, found) => expect(findQuote({ text }, quote)).toBe(found))

  it('cuts what is long, and finds it again', () => {
    const text = Array.from({ length: 100 }, (_, at) => `word${at}`).join(' ')
    const found = findQuote({ text }, text)!
    expect(found.length).toBeLessThan(310)
    expect(findQuote({ text }, found)).toBe(found.replace('…', ''))
  })

  it('finds whatever is copied from the text, with other white space and marks, and nothing that is changed', () => {
    const word = fc.stringMatching(/^[a-zé]{1,6}$/u)
    const words = fc.array(word, { minLength: 3, maxLength: 40, size: 'max' })
    fc.assert(
      fc.property(words, fc.nat(), fc.nat(), (words, from, length) => {
        const start = from % words.length
        const own = words.slice(start, start + 1 + (length % 8))
        const found = findQuote({ text: words.join(' ') }, own.map((each) => `*${each}*`).join('\n '))
        expect(found?.replaceAll(' ', '')).toBe(own.join(''))
        expect(findQuote({ text: words.join(' ') }, [...own, 'X'].join(' '))).toBeNull()
      }),
    )
  })
})
