// A search while the reader types: grouping, selection, and the latest query.
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

test('groups results by page in order of rank, and keeps their ranks', () => {
  expect(positions(groupByPage(['/a#1', '/b', '/a#2', '/b#3'].map(result)))).toEqual([
    ['/a', [1, 3]],
    ['/b', [2, 4]],
  ])
})

test('appends more results without moving the results shown', () => {
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

test('reports that there may be more results if the limit is reached', () => {
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
])('%s from %i selects %s of 3', (key, active, expected) => {
  expect(moveChoice(key, active, 3)).toBe(expected)
})

test('selects nothing without results', () => {
  expect(moveChoice('ArrowDown', -1, 0)).toBeNull()
})

describe('the state', () => {
  const ask = (query: string) => ({ type: 'ask', query, filter: '' }) as const

  test('keeps letters typed before the search loaded', () => {
    expect(createSearchState({ query: 'asyn' })).toMatchObject({ query: 'asyn', phase: 'idle' })
  })

  test('keeps old results until new ones arrive, and through a server failure', () => {
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

  test('ignores results of an older query, whatever is typed', () => {
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

  test('opens the first result after Enter when results arrive, but not after further typing', () => {
    const searching = reduceSearch(reduceSearch(createSearchState(), ask('a')), { type: 'open first' })
    expect(searching.opensFirst).toBe(true)
    expect(reduceSearch(searching, ask('ab')).opensFirst).toBe(false)
  })
})

describe('the latest query', () => {
  test('wins over a slower, older one, however that one ends', async () => {
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

  test('stays unchanged if loading more results fails', async () => {
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
