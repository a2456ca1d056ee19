import fc from 'fast-check'
import { expect, test } from 'vitest'
import { maxUrlLength, normalizeUrl } from './url.ts'

test.each([
  ['HTTP://Example.COM:80/a/../b#top', 'http://example.com/b'],
  ['https://user:secret@example.com/', 'https://example.com/'],
  ['https://example.com/a#', 'https://example.com/a'],
  ['https://example.com/a?', 'https://example.com/a'],
  ['https://example.com/index.html', 'https://example.com/index.html'],
  ['https://example.com/a?b=2&utm_source=x&a=1&gclid=3&fbclid=', 'https://example.com/a?b=2&a=1'],
  ['https://example.com/a?q=a+b%20c&x', 'https://example.com/a?q=a+b%20c&x'],
  ['https://example.com/a;jsessionid=1F;v=2?PHPSESSID=9&sid=4', 'https://example.com/a;v=2'],
  ['https://example.com/??', 'https://example.com/??'],
  ['https://example.com/?side=1', 'https://example.com/?side=1'],
  ['http://0x7f.1/', 'http://127.0.0.1/'],
])('normalizes %s to %s', (raw, normal) => {
  expect(normalizeUrl(raw)).toBe(normal)
})

test.each(['ftp://example.com/', 'javascript:alert(1)', 'mailto:a@b.c', '/a', '', 'http://', 'http://a b/'])(
  'rejects %j',
  (raw) => {
    expect(normalizeUrl(raw)).toBeNull()
  },
)

test('resolves relative URLs against their page', () => {
  expect(normalizeUrl('../b?x=1#y', 'https://example.com/docs/a/c')).toBe('https://example.com/docs/b?x=1')
  expect(normalizeUrl('//other.org', 'https://example.com/')).toBe('https://other.org/')
})

test('permits at most 2,000 characters', () => {
  const base = 'https://example.com/'
  expect(normalizeUrl(base + 'a'.repeat(maxUrlLength - base.length))).not.toBeNull()
  expect(normalizeUrl(base + 'a'.repeat(maxUrlLength - base.length + 1))).toBeNull()
})

test('does not change a normalized URL', () => {
  const piece = fc.constantFrom(
    'a',
    'sid=1',
    ';jsessionid=1',
    '?',
    '&',
    '#',
    '/',
    '..',
    '%41',
    'utm_x=1',
    'é',
    '=',
    ' ',
    '+',
    ';',
  )
  const address = fc.oneof(
    fc.webUrl({ withQueryParameters: true, withFragments: true }),
    fc.array(piece).map((pieces) => `http://h.example/${pieces.join('')}`),
  )
  fc.assert(
    fc.property(address, (raw) => {
      const once = normalizeUrl(raw)
      if (once !== null) expect(normalizeUrl(once)).toBe(once)
    }),
  )
})
