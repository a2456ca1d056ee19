import { create } from '@bufbuild/protobuf'
import { createContextValues, type HandlerContext } from '@connectrpc/connect'
import { beforeEach, describe, expect, it } from 'vitest'
import { SearchRequestSchema } from '../../gen/lectern/v1/search_pb.js'
import { project } from '../../test/contract/store-case.ts'
import { projectKey } from '../context.ts'
import { defaultConfig } from '../project/project-message.ts'
import type { SearchRequest } from './search.ts'
import { createSearchService } from './search-handler.ts'

const filters = [{ title: 'Guide', url: '/guide/(en)+/', position: 1 }]
let asked: SearchRequest[] = []
beforeEach(() => {
  asked = []
})

const service = createSearchService({
  async search(request) {
    asked.push(request)
    return { results: [] }
  },
  recorder: { searched() {}, clicked() {}, close: async () => {} },
  now: () => new Date(),
  newUuid: () => 'e1',
})

const config = { ...defaultConfig, search: { filters } }
const context = {
  values: createContextValues().set(projectKey, { ...project(), config }),
} as unknown as HandlerContext

const search = async (given: object) =>
  service.search(create(SearchRequestSchema, { slug: 'p', q: 'x', ...given }), context)

describe('a filter of a search', () => {
  it.each([
    ['domain_filter', 'Guide', '/guide/(en)+/'],
    ['domain_filter', '/guide/(en)+/', '/guide/(en)+/'],
    ['domain_filter', '/guide/(en) /', '/guide/(en)+/'],
    ['domain_filter', '^https://d\\.example/', '^https://d\\.example/'],
    ['filter_title', 'Guide', '/guide/(en)+/'],
  ])('%s %s stands for the pattern %s', async (field, given, pattern) => {
    await search(field === 'filter_title' ? { filterTitle: given } : { domainFilter: given })
    expect(asked).toMatchObject([{ urlFilter: { field, pattern } }])
  })

  it('is read by whoever searches, never here', async () => {
    await search({ domainFilter: '(' })
    expect(asked).toMatchObject([{ urlFilter: { field: 'domain_filter', pattern: '(' } }])
  })

  it('by an unknown title is refused', async () => {
    await expect(search({ filterTitle: 'Other' })).rejects.toMatchObject({
      fields: { filter_title: [expect.any(String)] },
    })
    expect(asked).toEqual([])
  })
})
