import fc from 'fast-check'
import { expect, test } from 'vitest'
import { countTokens, firstPart, toPage } from './page.ts'

test.each([
  ['Install it', 3],
  ['', 0],
  ['設定を保存', 5],
])('%j is about %d tokens', (text, tokens) => {
  expect(countTokens(text)).toBe(tokens)
})

test('shows as many complete parts as fit', () => {
  const parts = ['a'.repeat(40), 'b'.repeat(40), 'c'.repeat(40)]
  const first = toPage(parts, '', 25)!
  expect(first).toEqual({ text: `${parts[0]}\n\n${parts[1]}`, parts: [0, 1], cursor: '2.0' })
  expect(toPage(parts, first.cursor!, 25)).toEqual({ text: parts[2], parts: [2], cursor: null })
})

test('splits a part that does not fit at line ends', () => {
  const line = 'one line of it'
  const page = toPage([Array(20).fill(line).join('\n')], '', 20)!
  expect(page.text.split('\n').every((each) => each === line)).toBe(true)
  expect(page.cursor).toMatch(/^0\.\d+$/)
})

test.each(['x', '1', '-1.0', '4.0', '0.999', '1e3.0'])('rejects the cursor %j', (cursor) => {
  expect(toPage(['a', 'b', 'c'], cursor, 10)).toBeNull()
})

test('starts at a later part if earlier ones are missing', () => {
  const parts = ['a'.repeat(40), 'b'.repeat(40), 'c'.repeat(40)]
  expect(firstPart('1.8')).toBe(1)
  expect(toPage(parts.slice(1), '1.8', 9, 1)).toEqual(toPage(parts, '1.8', 9))
  expect(toPage(parts.slice(1), '0.0', 9, 1)).toBeNull()
})

test('shows all parts in all pages, none longer than requested', () => {
  const text = fc.string({ unit: 'grapheme', maxLength: 300, size: 'max' })
  fc.assert(
    fc.property(fc.array(text, { maxLength: 6 }), fc.integer({ min: 2, max: 60 }), (parts, max) => {
      let shown = ''
      let cursor: string | null = ''
      while (cursor !== null) {
        const page: ReturnType<typeof toPage> = toPage(parts, cursor, max)
        expect(page).not.toBeNull()
        expect(countTokens(page!.text)).toBeLessThanOrEqual(max + page!.parts.length)
        expect(page!.text.isWellFormed()).toBe(parts.every((part) => part.isWellFormed()))
        shown += page!.text
        expect(page!.cursor).not.toBe(cursor)
        cursor = page!.cursor
      }
      expect(shown.replace(/\s/g, '')).toBe(parts.join('').replace(/\s/g, ''))
    }),
  )
})
