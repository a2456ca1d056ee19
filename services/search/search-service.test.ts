import { create } from '@bufbuild/protobuf'
import { createContextValues, type HandlerContext } from '@connectrpc/connect'
import { beforeEach, describe, expect, it, test } from 'vitest'
import {
  ExplainSearchRequestSchema,
  ReportClickRequestSchema,
  SearchRequestSchema,
} from '../../gen/lectern/v1/search_pb.js'
import { page, project } from '../../test/contract/store-case.ts'
import { type Caller, callerKey, createStranger, projectKey } from '../context.ts'
import { defaultConfig } from '../project/project-change.ts'
import type { SearchAnswer, SearchQuery } from './search.ts'
import { createSearchService } from './search-service.ts'

const filters = [{ title: 'Guide', url: '/guide/(en)+/', position: 1 }]
const known = page('known')
let asked: SearchQuery[] = []
let signalAsked: AbortSignal | null = null
let counted: (string | null)[] = []
const clicked: (string | null)[] = []
let found: SearchAnswer['results'] = []
beforeEach(() => {
  asked = []
  counted = []
})

const service = createSearchService({
  async search(request, signal) {
    asked.push(request)
    signalAsked = signal
    const explanation = { words: ['one', 'two'], results: [{ matched: ['two'], similarity: null }] }
    return { results: found, meaning: 'late', ...(request.isExplained && { explanation }) }
  },
  recorder: {
    searched: (_, { query }) => counted.push(query),
    record: ({ url }) => clicked.push(url),
    close: async () => {},
  },
  pages: { byUrls: async (_, urls) => urls.map((url) => (known.url === url ? known : null)) },
  now: () => new Date(),
  newUuid: () => 'e1',
})

const config = { ...defaultConfig, search: { filters } }
const reader = createStranger({ surface: 'v2', address: '192.0.2.1', origin: null, connection: null }, true)
const { signal } = new AbortController()
const contextOf = (caller: Caller) => {
  const values = createContextValues()
    .set(projectKey, { ...project(), config })
    .set(callerKey, caller)
  return { values, signal, responseTrailer: new Headers() } as unknown as HandlerContext
}

const search = async (given: object, caller = reader) =>
  service.search(create(SearchRequestSchema, { slug: 'p', q: 'x', ...given }), contextOf(caller))

test('reports whether a question was searched by meaning', async () => {
  const context = contextOf(reader)
  await service.search(create(SearchRequestSchema, { slug: 'p', q: 'x' }), context)
  expect(context.responseTrailer.get('lectern-meaning')).toBe('late')
})

test('returns only the requested fields of a result', async () => {
  found = [{ title: 'A', pageTitle: 'B', url: 'https://d.example/', sourceType: 'site' }] as typeof found
  expect(await search({ fields: ['page_title', 'source_type'] })).toEqual({
    results: [{ pageTitle: 'B', sourceType: 'site' }],
  })
  found = []
})

test('does not count an explained search, and returns which words found each result', async () => {
  found = [{ title: 'A', url: 'https://d.example/', score: 2, sourceType: 'site' }] as typeof found
  const request = create(ExplainSearchRequestSchema, { slug: 'p', q: 'one two', limit: 90, version: '3' })
  expect(await service.explainSearch(request, contextOf(reader))).toMatchObject({
    meaning: 'late',
    words: ['one', 'two'],
    results: [{ title: 'A', score: 2, matched: ['two'] }],
  })
  expect(asked).toMatchObject([{ q: 'one two', limit: 50, docVersion: '3', isExplained: true }])
  expect(counted).toEqual([])
  found = []
})

describe('a filter of a search', () => {
  it.each([
    ['domain_filter', 'Guide', '/guide/(en)+/'],
    ['domain_filter', '/guide/(en)+/', '/guide/(en)+/'],
    ['domain_filter', '/guide/(en) /', '/guide/(en)+/'],
    ['domain_filter', '^https://d\\.example/', '^https://d\\.example/'],
    ['filter_title', 'Guide', '/guide/(en)+/'],
  ])('resolves %s %s to the pattern %s', async (field, given, pattern) => {
    await search(field === 'filter_title' ? { filterTitle: given } : { domainFilter: given })
    expect(asked).toMatchObject([{ urlFilter: { field, pattern } }])
  })

  it('leaves the pattern to the search thread', async () => {
    await search({ domainFilter: '(' })
    expect(asked).toMatchObject([{ urlFilter: { field: 'domain_filter', pattern: '(' } }])
  })

  it('rejects an unknown title', async () => {
    await expect(search({ filterTitle: 'Other' })).rejects.toMatchObject({
      fields: { filter_title: [expect.any(String)] },
    })
    expect(asked).toEqual([])
  })
})

it('passes on that the caller has left', async () => {
  await search({})
  expect(signalAsked).toBe(signal)
})

describe('a search marked as uncounted', () => {
  const holder: Caller = { ...reader, team: 't1', permissions: new Set(['search'] as const) }

  it('is not counted if the caller has a key', async () => {
    await search({ q: 'evaluated', uncounted: true }, holder)
    await search({ q: 'read' }, holder)
    expect(counted).toEqual(['read'])
  })

  it('is counted if the caller has no key', async () => {
    await search({ q: 'anyone', uncounted: true })
    expect(counted).toEqual(['anyone'])
  })
})

it('records the URL of a click only if it is a page of the project', async () => {
  for (const url of [
    `${known.url}#install`,
    `${known.url}x`,
    `https://d.example/${'a'.repeat(3_000)}`,
    undefined,
  ]) {
    await service.reportClick(create(ReportClickRequestSchema, { slug: 'p', url }), contextOf(reader))
  }
  expect(clicked).toEqual([known.url, null, null, null])
})
