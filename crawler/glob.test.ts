import fc from 'fast-check'
import { RE2JS } from 're2js'
import { describe, expect, test } from 'vitest'
import { countCharacters, readGlob, readUrlPattern } from './glob.ts'

const matches = (glob: string, path: string) =>
  readGlob(glob).matches(new URL(path, 'https://d.example').href)

test.each([
  ['/docs/**', '/docs/a/b.html', true],
  ['/docs/**', '/docs', true],
  ['/docs/**', '/docsx', false],
  ['docs/*', '/docs/a', true],
  ['docs/*', '/docs/a/b', false],
  ['/Docs/*', '/docs/a', false],
  ['**/*.html', '/a.html', true],
  ['**/*.html', '/x/y/a.html', true],
  ['/a/**/z', '/a/z', true],
  ['/a/**/z', '/a/b/c/z', true],
  ['/a?', '/ab', true],
  ['/a?', '/a/', false],
  ['/{en,de}/*', '/de/x', true],
  ['/{en,de}/*', '/fr/x', false],
  ['/v[0-9]/x', '/v3/x', true],
  ['/v[!0-9]/x', '/v3/x', false],
  ['/a.b', '/axb', false],
  ['/a(b)+', '/a(b)+', true],
  ['/é/*', '/%C3%A9/x', true],
  ['https://d.example/a/*', '/a/b', true],
  ['https://other.example/**', '/a/b', false],
  ['/a/*', '/a/b?c=/d', true],
])('%s against %s: %s', (glob, path, expected) => {
  expect(matches(glob, path)).toBe(expected)
})

test.each([
  ['', /empty/],
  ['/{a,b', /"\{"/],
  ['/[ab', /"\["/],
  ['/a\\', /"\\"/],
  ['a'.repeat(1_001), /1000 characters/],
  [`{${'a,'.repeat(200)}}`, /alternatives/],
  ['?*'.repeat(400), /too large/],
])('rejects %j with a reason', (glob, reason) => {
  expect(() => readGlob(glob)).toThrow(reason)
})

test('reads or rejects any text, with a sentence', () => {
  const text = fc.string({
    unit: fc.constantFrom(...'ab*?{},[]!^-\\/.(|)$+é'.split('')),
    maxLength: 30,
    size: 'max',
  })
  fc.assert(
    fc.property(text, (glob) => {
      try {
        readGlob(glob).matches('https://d.example/a/b')
      } catch (error) {
        expect((error as Error).message).toMatch(/^(must|has|is|ends)/)
      }
    }),
  )
})

test('an escaped path matches itself and nothing longer', () => {
  fc.assert(
    fc.property(fc.stringMatching(/^[a-z*?[\]{},.+()]{1,20}$/), (name) => {
      const { href, pathname } = new URL(`https://d.example/${name.replaceAll('?', 'q')}`)
      const glob = pathname.replace(/[*?[\]{},\\]/g, '\\$&')
      expect(readGlob(glob).matches(href)).toBe(true)
      expect(readGlob(glob).matches(`${href}x`)).toBe(false)
    }),
  )
})

test('compiles a glob once for all sources that have it', () => {
  expect(readGlob('/shared/**')).toBe(readGlob('/shared/**'))
})

test('matches in linear time', () => {
  expect(matches(`/${'*a'.repeat(100)}b`, `/${'a'.repeat(1_900)}`)).toBe(false)
})

describe('URL patterns', () => {
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
  ])('%s is accepted: %s', (pattern, isTaken) => {
    if (isTaken) expect(read(pattern).size).toBeLessThanOrEqual(1_000)
    else expect(() => read(pattern)).toThrow(/at most 1000 instructions/)
  })

  test('rejects an invalid pattern', () => {
    for (const pattern of ['(', '[', 'a{2}{2}', '(?=a)', '\\p{Nowhere}'])
      expect(() => read(pattern)).toThrow(/RE2 syntax/)
  })

  test('rejects large patterns without compiling them', () => {
    for (let number = 0; number < 1_000; number++) {
      expect(() => read(`${'.{0,1000}'.repeat(90)}${number}`)).toThrow(/instructions/)
    }
  })

  test('rejects ranges of many code points as too large, wherever and however they are written', () => {
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
      fc
        .tuple(fc.constantFrom('(', '(?:', '(?i:'), tie('pattern'))
        .map(([open, inner]) => `${open}${inner})`),
    ),
  }))

  test('a compiled program has at most about twice as many instructions as the counted characters', () => {
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
})
