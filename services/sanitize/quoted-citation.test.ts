import fc from 'fast-check'
import { expect, it } from 'vitest'
import type { Quotes } from './safe-inline.ts'
import { createSafeText } from './safe-text.ts'

function read(...pieces: string[]) {
  const quotes: Quotes = new Map()
  const safe = createSafeText(() => false, quotes)
  const seen = pieces.map((piece) => safe.push(piece))
  seen.push(safe.end())
  return { text: seen.join(''), seen, quotes: Object.fromEntries(quotes) }
}

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
  ['A ` b [1: "a ` mark"] c.', 'A \\` b [1] c.', { '1 1': 'a ` mark' }],
  ['```swift\nlet a = [1: "one"]\n```\n[1: "b"]', '```swift\nlet a = [1: "one"]\n```\n[1]', { '1 1': 'b' }],
  ['a[1:3] and [1: see] and [x](y) and [2]', 'a[1:3] and [1: see] and x and [2]', {}],
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

it('sends text at once, and holds back what may become a citation', () => {
  expect(read('One ', 'two [', '1: "a', ' b"', '] three').seen).toEqual([
    'One ',
    'two ',
    '',
    '',
    '[1] three',
    '',
  ])
  expect(read('One [', 'link](x)').seen).toEqual(['One ', 'link', ''])
})

it('gives up on a quotation that is not closed within 1,000 characters', () => {
  const { text } = read('A [1: "', ...Array<string>(300).fill('word '), '"] end')
  expect(text.length).toBeLessThan(600)
  expect(text).toMatch(/^A \[1\]/u)
})

it('sends no quoted word, however the answer is split', () => {
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

it('keeps the words of a thousand citations, and no more citations of code', () => {
  const quotes: Quotes = new Map()
  const safe = createSafeText(() => false, quotes)
  safe.push(`${'a [1: "b"]. '.repeat(1_500)}\n\n\`\`\`\n`)
  expect(quotes.size).toBe(1_000)
  for (let count = 0; count < 1_500; count++) safe.cite({ label: 2, quote: 'c' })
  const text = safe.push('d\n```\n') + safe.end()
  expect(text.split('[2]')).toHaveLength(1_001)
})

it("puts the provider's citations after the text, and below a code block", () => {
  const quotes: Quotes = new Map()
  const safe = createSafeText(() => false, quotes)
  const text = [
    safe.push('It is so'),
    safe.cite({ label: 1, quote: 'a' }),
    safe.cite({ label: 2, quote: 'b' }),
    safe.push('. Run:\n\n```\nmake'),
    safe.cite({ label: 3, quote: 'c' }),
    safe.push('\n```'),
    safe.cite({ label: 1, quote: 'd' }),
    safe.push('\n\nEnd'),
    safe.end(),
  ].join('')
  expect(text).toMatch(/^It is so \[1\]\[2\]\. Run:\n\n```\nmake\n```\n\n\[3\]\s*\[1\]\s*End$/u)
  expect(Object.fromEntries(quotes)).toEqual({ '1 1': 'a', '2 1': 'b', '3 1': 'c', '1 2': 'd' })
})
