import fc from 'fast-check'
import { expect, test } from 'vitest'
import { readGlob } from './glob.ts'

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
])('%j is refused with a reason', (glob, reason) => {
  expect(() => readGlob(glob)).toThrow(reason)
})

test('whatever is typed is either a glob or refused with a sentence', () => {
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

test('a path written as a glob, its signs escaped, matches itself and nothing longer', () => {
  fc.assert(
    fc.property(fc.stringMatching(/^[a-z*?[\]{},.+()]{1,20}$/), (name) => {
      const { href, pathname } = new URL(`https://d.example/${name.replaceAll('?', 'q')}`)
      const glob = pathname.replace(/[*?[\]{},\\]/g, '\\$&')
      expect(readGlob(glob).matches(href)).toBe(true)
      expect(readGlob(glob).matches(`${href}x`)).toBe(false)
    }),
  )
})

test('no glob takes more than linear time', () => {
  expect(matches(`/${'*a'.repeat(100)}b`, `/${'a'.repeat(1_900)}`)).toBe(false)
})
