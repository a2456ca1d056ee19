import { expect, test } from 'vitest'
import { canonicalElsewhere, createPinnedCrawl } from './source-crawl.ts'

const source = createPinnedCrawl([])

test.each([
  ['http://a.org/b', 'https://a.org/b/'],
  ['https://a.org/b.html', 'https://a.org/b'],
  ['https://a.org/b/index.html', 'https://a.org/b/'],
  ['https://a.org/', 'https://a.org/index.html'],
])('%s and %s are one page', (url, canonical) => {
  expect(canonicalElsewhere(source, url, canonical)).toBeNull()
})

test.each([
  ['https://a.org/3.1/b', 'https://a.org/stable/b'],
  ['https://a.org/b?view=print', 'https://a.org/b'],
  ['https://a.org/b', 'https://a.org/B'],
])('%s and %s are two', (url, canonical) => {
  expect(canonicalElsewhere(source, url, canonical)).toBe(canonical)
})
