// Grouping, the choice among results, the newest answer, the address.
import { describe, expect, test } from 'vitest'
import { createLatest } from '../demo/latest-search.js'
import { embeddingSentence, syncSentence } from '../demo/notice.js'
import { createAddressWriter } from '../demo/page-address.js'
import { appendResults, countSentence, groupByPage, moveChoice } from '../demo/search-state.js'

test('results are grouped by page in the order of the best, and keep their rank', () => {
  const result = (url: string) => ({ url, page_title: url })
  const groups = groupByPage(['/a#1', '/b', '/a#2', '/b#3'].map(result))
  expect(
    groups.map(({ page, results }) => [page, results.map((each: { position: number }) => each.position)]),
  ).toEqual([
    ['/a', [1, 3]],
    ['/b', [2, 4]],
  ])
})

test('more results come after those shown, which keep their places and ranks', () => {
  const result = (url: string) => ({ url, page_title: url })
  const shown = groupByPage(['/a#1', '/b'].map(result))
  const groups = appendResults(shown, ['/a#1', '/a#2', '/b', '/c'].map(result))
  expect(
    groups.map(({ page, results }) => [page, results.map((each: { position: number }) => each.position)]),
  ).toEqual([
    ['/a', [1]],
    ['/b', [2]],
    ['/a', [3]],
    ['/c', [4]],
  ])
  expect(countSentence(groups)).toBe('4 results on 3 pages')
})

test('as many results as were asked for are the best, not all', () => {
  const found = (count: number) => Array.from({ length: count }, (_, n) => ({ url: `/${n}`, page_title: '' }))
  expect(countSentence(groupByPage(found(30)))).toBe('30 best results on 30 pages')
  expect(countSentence(groupByPage(found(29)))).toBe('29 results on 29 pages')
  expect(countSentence(appendResults(groupByPage(found(30)), found(60)))).toBe('50 best results on 50 pages')
})

test.each([
  ['ArrowDown', -1, 0],
  ['ArrowDown', 2, 0],
  ['ArrowUp', -1, 2],
  ['ArrowUp', 1, 0],
  ['End', 0, 2],
  ['Home', 2, 0],
  ['Home', -1, null],
  ['x', 0, null],
])('%s from %i chooses %s of 3', (key, active, expected) => {
  expect(moveChoice(key, active, 3)).toBe(expected)
})

test('without results no key chooses', () => {
  expect(moveChoice('ArrowDown', -1, 0)).toBeNull()
})

describe('the newest question', () => {
  test('wins over a slower, older one, whichever way that one ends', async () => {
    const answers = new Map<string, PromiseWithResolvers<string>>()
    const signals: AbortSignal[] = []
    const ask = createLatest((question: string, signal: AbortSignal) => {
      signals.push(signal)
      const answer = Promise.withResolvers<string>()
      answers.set(question, answer)
      return answer.promise
    })
    const asked = ['a', 'ab', 'abc'].map((question) => ask(question))
    answers.get('abc')?.resolve('newest')
    answers.get('a')?.resolve('old')
    answers.get('ab')?.reject(new Error('late'))
    expect(await Promise.all(asked)).toEqual([null, null, 'newest'])
    expect(signals.map((signal) => signal.aborted)).toEqual([true, true, false])
  })
})

test('typing on replaces the entry of the history, a pause ends it', () => {
  const location = { href: 'http://l/demo/x/', search: '' }
  const made: string[] = []
  const go = (how: string) => (_state: unknown, _title: string, address: URL) => {
    made.push(`${how} ${address.search}`)
    Object.assign(location, { href: address.href, search: address.search })
  }
  let time = 0
  const history = { replaceState: go('replace'), pushState: go('push') }
  const write = createAddressWriter({ location, history, now: () => time })
  for (const [query, at] of [
    ['t', 5_000],
    ['ta', 5_200],
    ['task', 9_000],
  ] as const) {
    time = at
    write({ query, filter: '' })
  }
  write({ query: 'task', filter: 'Library' })
  expect(made).toEqual(['replace ?q=t', 'replace ?q=ta', 'push ?q=task', 'push ?q=task&filter=Library'])
})

test.each([
  [null, 'Nothing has been read yet. Start with: lectern sync docs'],
  [
    { status: 'running', finished_at: null },
    'The pages are being read now; what has been read can be found already.',
  ],
  [{ status: 'completed', finished_at: '2026-01-01T00:00:00.000Z' }, 'Last read 2 hours ago.'],
  [
    { status: 'failed', finished_at: '2026-01-01T01:59:50.000Z' },
    'The last sync failed just now; what was read before can be found.',
  ],
])('the start page tells what is in the index: %j', (run, expected) => {
  expect(syncSentence(run, 'docs', Date.parse('2026-01-01T02:00:00.000Z'))).toBe(expected)
})

test('the share of embedded sections is never rounded up to all of them', () => {
  expect(embeddingSentence({ done: 2_928, total: 2_929 })).toMatch(/^99 % of the sections/)
})
