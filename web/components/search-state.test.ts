// A search under whatever is typed and comes: grouping, the choice among results, the newest question.
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { ApiFailure, type SearchQuery, type SearchResult } from './api.ts'
import { createSearch } from './search.ts'
import {
  appendResults,
  countPages,
  countResults,
  createSearchState,
  groupByPage,
  isLimit,
  moveChoice,
  reduceSearch,
} from './search-state.ts'

const result = (url: string): SearchResult => ({
  url,
  page_title: url,
  title: '',
  fragment: '',
  content: null,
  source_type: 'site',
  headings: [],
})
const positions = (groups: ReturnType<typeof groupByPage>) =>
  groups.map(({ page, results }) => [page, results.map(({ position }) => position)])

test('results are grouped by page in the order of the best, and keep their rank', () => {
  expect(positions(groupByPage(['/a#1', '/b', '/a#2', '/b#3'].map(result)))).toEqual([
    ['/a', [1, 3]],
    ['/b', [2, 4]],
  ])
})

test('more results come after those shown, which keep their places and ranks', () => {
  const shown = groupByPage(['/a#1', '/b'].map(result))
  const groups = appendResults(shown, ['/a#1', '/a#2', '/b', '/c'].map(result))
  expect(positions(groups)).toEqual([
    ['/a', [1]],
    ['/b', [2]],
    ['/a', [3]],
    ['/c', [4]],
  ])
  expect([countResults(groups), countPages(groups)]).toEqual([4, 3])
})

test('as many results as were asked for are the best, not all', () => {
  const found = (count: number) => Array.from({ length: count }, (_, n) => result(`/${n}`))
  expect([29, 30].map(isLimit)).toEqual([false, true])
  const groups = appendResults(groupByPage(found(30)), found(60))
  expect([countResults(groups), isLimit(countResults(groups))]).toEqual([50, true])
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

describe('the state', () => {
  const ask = (query: string) => ({ type: 'ask', query, filter: '' }) as const

  test('keeps letters typed before the search was there', () => {
    expect(createSearchState({ query: 'asyn' })).toMatchObject({ query: 'asyn', phase: 'idle' })
  })

  test('keeps old results until new ones come, and through a failure of the server', () => {
    let state = reduceSearch(createSearchState(), ask('a'))
    state = reduceSearch(state, { type: 'results', asked: state.asked, results: [result('/a')] })
    const { groups } = state
    state = reduceSearch(state, ask('ab'))
    expect(state).toMatchObject({ phase: 'searching', query: 'ab', answered: 'a', groups })
    const away = new ApiFailure('away', 'A backend is away.')
    state = reduceSearch(state, { type: 'failed', asked: state.asked, failure: away })
    expect(state).toMatchObject({ phase: 'failed', groups, failure: away })
    expect(reduceSearch(state, ask(' '))).toMatchObject({ phase: 'idle', groups: [], failure: null })
  })

  test('takes no answer of an older question, whatever is typed', () => {
    fc.assert(
      fc.property(
        fc.array(fc.string(), { minLength: 2, maxLength: 20, size: 'max' }),
        fc.nat(),
        (queries, n) => {
          let state = createSearchState()
          for (const query of queries) state = reduceSearch(state, ask(query))
          const asked = n % state.asked
          expect(reduceSearch(state, { type: 'results', asked, results: [result('/old')] })).toBe(state)
          expect(state.query).toBe(queries.at(-1))
        },
      ),
    )
  })

  test('opens the first result of an answer that Enter did not wait for, but not of what is typed after it', () => {
    const searching = reduceSearch(reduceSearch(createSearchState(), ask('a')), { type: 'open first' })
    expect(searching.opensFirst).toBe(true)
    expect(reduceSearch(searching, ask('ab')).opensFirst).toBe(false)
  })
})

describe('the newest question', () => {
  test('wins over a slower, older one, whichever way that one ends', async () => {
    const answers = new Map<string, PromiseWithResolvers<SearchResult[]>>()
    const signals: AbortSignal[] = []
    const search = createSearch({
      api: {
        search({ query }: SearchQuery, signal) {
          if (signal) signals.push(signal)
          const answer = Promise.withResolvers<SearchResult[]>()
          answers.set(query, answer)
          return answer.promise
        },
      },
    })
    const asked = ['a', 'ab', 'abc'].map((query) => search.ask(query))
    answers.get('abc')?.resolve([result('/newest')])
    answers.get('a')?.resolve([result('/old')])
    answers.get('ab')?.reject(new ApiFailure('away', 'late'))
    await Promise.all(asked)
    expect(search.state.value).toMatchObject({
      phase: 'done',
      answered: 'abc',
      groups: [{ page: '/newest' }],
    })
    expect(signals.map(({ aborted }) => aborted)).toEqual([true, true, false])
  })

  test('stays as it is when more of its results do not come', async () => {
    const first = Array.from({ length: 30 }, (_, n) => result(`/${n}`))
    const search = createSearch({
      api: {
        search: async ({ limit }) => (limit === 30 ? first : Promise.reject(new ApiFailure('offline', ''))),
      },
    })
    await search.ask('a')
    await search.loadMore()
    expect(search.state.value).toMatchObject({ phase: 'done', failure: null })
    expect(countResults(search.state.value.groups)).toBe(30)
  })
})
