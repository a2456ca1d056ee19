// Lists of sources.
import { expect, it } from 'vitest'
import { project, withProject } from '../../test/contract/store-case.ts'
import { toHandlerContext } from '../../test/handler-context.ts'
import { openSqliteStore } from '../store/sqlite/sqlite-store.ts'
import { createSourceService } from './source-service.ts'

it('returns a page of the sources with their total count, or all of them', async () => {
  const store = await openSqliteStore(':memory:')
  await withProject(store)
  const service = createSourceService({ store } as never)
  const context = toHandlerContext({ project: project() })
  const list = async (request: object) => {
    const { count, results } = await service.listSources(request as never, context)
    return { count, uuids: results?.map(({ uuid }) => uuid) }
  }
  expect(await list({ offset: 1, limit: 1 })).toEqual({ count: 2, uuids: ['s2'] })
  expect(await list({ offset: 0 })).toEqual({ count: 2, uuids: ['s1', 's2'] })
  expect(await list({ offset: 1, all: true })).toEqual({ count: 2, uuids: ['s1', 's2'] })
  await store.close()
})
