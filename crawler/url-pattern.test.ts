import fc from 'fast-check'
import { RE2JS } from 're2js'
import { expect, test } from 'vitest'
import { countCharacters, readUrlPattern } from './glob.ts'

const read = (pattern: string) => readUrlPattern(pattern, { ignoreCase: true })

test.each([
  ['^https://d\\.example/(?:en|de)/[a-z0-9-]{1,63}/', true],
  ['/v\\d{1,3}(?:\\.\\d{1,3}){0,2}/', true],
  ['.{0,480}', true],
  ['.{0,600}', false],
  ['.{0,1000}'.repeat(90), false],
  ['(?:(?:a{31}){31})', true],
  ['(?:(?:a{31}){31}){1}(?:b{10}){10}', false],
  ['\\Q[\\E(?:.{0,30}){0,30}\\Q]\\E(?:.{0,30}){0,30}', false],
  [`(${'a'.repeat(400)})(?i){400}`, false],
  [`(${'a'.repeat(400)})?(?i){400}`, false],
  ['[[:alpha:]]'.repeat(90), true],
  ['\\p{L}{1,80}', true],
  ['\\p{Greek}'.repeat(110), false],
  ['[一-龥ぁ-ヿ]{1,80}', true],
  ['[^\\x{0}-\\x{1e942}]', true],
])('%s may be used: %s', (pattern, isTaken) => {
  if (isTaken) expect(read(pattern).size).toBeLessThanOrEqual(1_000)
  else expect(() => read(pattern)).toThrow(/at most 1000 instructions/)
})

test('what is no pattern is said to be none', () => {
  for (const pattern of ['(', '[', 'a{2}{2}', '(?=a)', '\\p{Nowhere}'])
    expect(() => read(pattern)).toThrow(/RE2 syntax/)
})

test('large patterns are refused without being compiled', () => {
  for (let number = 0; number < 1_000; number++) {
    expect(() => read(`${'.{0,1000}'.repeat(90)}${number}`)).toThrow(/instructions/)
  }
})

test('ranges of many code points are too large, wherever and however they are written', () => {
  for (const pattern of [
    `[${'Ā-\u{1e942}'.repeat(230)}]`,
    `[${'--\u{1e942}'.repeat(230)}]`,
    `[${'Ā-\\x{1e942}'.repeat(90)}]`,
    `(?i)[${'B-\\x{01E942}'.repeat(70)}`,
    '[Ā-\u{1e942}]'.repeat(190),
    `[${'A-ÿ'.repeat(300)}]`,
    `[${'A-\\xff'.repeat(160)}]`,
    `[${'A-\\377'.repeat(160)}]`,
    '[^Ā-\u{1e942}]|'.repeat(160),
  ]) {
    expect(() => read(pattern)).toThrow(/at most 1000 instructions/)
  }
})

const atoms =
  'a|.|\\d|[a-z]|[^/]|\\pL|\\p{Greek}|\\.|\\Qa[b\\E|^|$|\\b|[]a]|[[:alpha:]{9}]|\\x{41}|é|(?i)'.split('|')
const repeats = ['', '?', '*', '+?', '{3}', '{0,9}', '{2,}', '{31}', '{0,200}', '{900}', '{0}']
const { pattern: anyPattern } = fc.letrec<{ pattern: string }>((tie) => ({
  pattern: fc.oneof(
    { maxDepth: 5 },
    fc.constantFrom(...atoms),
    fc.tuple(tie('pattern'), fc.constantFrom(...repeats)).map((parts) => parts.join('')),
    fc.tuple(tie('pattern'), tie('pattern')).map((parts) => parts.join('')),
    fc.tuple(tie('pattern'), tie('pattern')).map((parts) => parts.join('|')),
    fc.tuple(fc.constantFrom('(', '(?:', '(?i:'), tie('pattern')).map(([open, inner]) => `${open}${inner})`),
  ),
}))

test('a compiled program has at most about twice as many instructions as characters were counted', () => {
  fc.assert(
    fc.property(anyPattern, (pattern) => {
      const characters = countCharacters(pattern)
      fc.pre(characters <= 4_000)
      try {
        expect(RE2JS.compile(pattern).programSize()).toBeLessThanOrEqual(2 * characters + 20)
      } catch (error) {
        if (error instanceof Error && error.name === 'AssertionError') throw error
      }
    }),
  )
})
