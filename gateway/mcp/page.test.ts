import fc from 'fast-check'
import { expect, test } from 'vitest'
import { countTokens, readCursor, toPage } from './page.ts'

/** The page of a document that begins at the cursor. */
function pageAt(parts: string[], cursor: string, maxTokens: number) {
  const start = readCursor(cursor)
  return toPage(parts.slice(start.part), start, maxTokens)
}

test.each([
  ['Install it', 3],
  ['', 0],
  ['設定を保存', 5],
])('%j is about %d tokens', (text, tokens) => {
  expect(countTokens(text)).toBe(tokens)
})

test('shows as many complete parts as fit', () => {
  const parts = ['a'.repeat(40), 'b'.repeat(40), 'c'.repeat(40)]
  const first = pageAt(parts, '', 25)
  expect(first).toEqual({ text: `${parts[0]}\n\n${parts[1]}`, count: 2, cursor: '2.0' })
  expect(pageAt(parts, first.cursor!, 25)).toEqual({ text: parts[2], count: 1, cursor: null })
})

test('splits a part that does not fit at line ends', () => {
  const line = 'one line of it'
  const page = pageAt([Array(20).fill(line).join('\n')], '', 20)
  expect(page.text.split('\n').every((each) => each === line)).toBe(true)
  expect(page.cursor).toMatch(/^0\.\d+$/)
})

test.each(['x', '1', '-1.0', '4.1', '0.999', '1e3.0'])('rejects the cursor %j', (cursor) => {
  expect(() => pageAt(['a', 'b', 'c'], cursor, 10)).toThrow('cursor: must be the next_cursor')
})

test('shows all parts in all pages, none longer than requested', () => {
  const text = fc.string({ unit: 'grapheme', maxLength: 300, size: 'max' })
  fc.assert(
    fc.property(fc.array(text, { maxLength: 6 }), fc.integer({ min: 2, max: 60 }), (parts, max) => {
      let shown = ''
      let cursor: string | null = ''
      while (cursor !== null) {
        const page: ReturnType<typeof toPage> = pageAt(parts, cursor, max)
        expect(countTokens(page.text)).toBeLessThanOrEqual(max + page.count)
        expect(page.text.isWellFormed()).toBe(parts.every((part) => part.isWellFormed()))
        shown += page.text
        expect(page.cursor).not.toBe(cursor)
        cursor = page.cursor
      }
      expect(shown.replace(/\s/g, '')).toBe(parts.join('').replace(/\s/g, ''))
    }),
  )
})
