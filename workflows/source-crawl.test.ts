import { expect, test } from 'vitest'
import { canonicalElsewhere, createPinnedCrawl, groupSources } from './source-crawl.ts'

const source = createPinnedCrawl([], { async *list() {}, fetch: () => Promise.reject() })

test.each([
  ['http://a.org/b', 'https://a.org/b/'],
  ['https://a.org/b.html', 'https://a.org/b'],
  ['https://a.org/b/index.html', 'https://a.org/b/'],
  ['https://a.org/', 'https://a.org/index.html'],
])('treats %s and %s as one page', (url, canonical) => {
  expect(canonicalElsewhere(source, url, canonical)).toBeNull()
})

test.each([
  ['https://a.org/3.1/b', 'https://a.org/stable/b'],
  ['https://a.org/b?view=print', 'https://a.org/b'],
  ['https://a.org/b', 'https://a.org/B'],
])('treats %s and %s as two pages', (url, canonical) => {
  expect(canonicalElsewhere(source, url, canonical)).toBe(canonical)
})

test.each([
  [[], [['pinned']]],
  [['a'], [['a', 'pinned']]],
  [
    ['a', 'b'],
    [['a'], ['b', 'pinned']],
  ],
])('reads sources %j in the steps %j', (sources, groups) => {
  expect(groupSources(sources)).toEqual(groups)
})

test.each([20, 21, 39, 41, 1_000])('reads %s sources in order, in at most 20 steps', (count) => {
  const sources = Array.from({ length: count }, (_, at) => `s${at}`)
  const groups = groupSources(sources)
  expect(groups.length).toBeLessThanOrEqual(20)
  expect(groups.flat()).toEqual([...sources, 'pinned'])
})
