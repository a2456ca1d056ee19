// Texts of languages: numbers, placeholders, and the site's own texts.
import { expect, test } from 'vitest'
import { withAskStrings } from './ask-texts.ts'
import { createTexts, fill } from './texts.ts'

test('formats numbers with their plural form', () => {
  const texts = createTexts()
  expect([0, 1, 2, 1_200].map((n) => texts.plural(texts.search.resultCount, n))).toEqual([
    '0 results',
    '1 result',
    '2 results',
    '1,200 results',
  ])
})

test('fills in placeholders once, and keeps unknown ones', () => {
  expect(fill('{a} and {b}, {c}', { a: '{b}', b: 1 })).toBe('{b} and 1, {c}')
})

test('lets a site replace some texts', () => {
  const texts = withAskStrings(
    createTexts('en', undefined, { ask: { title: 'Ask the docs' }, search: { label: 'Find' } }),
  )
  const { ask, search } = texts
  expect([ask.title, ask.stop, search.label, search.clear]).toEqual([
    'Ask the docs',
    'Stop',
    'Find',
    'Clear the search',
  ])
})
