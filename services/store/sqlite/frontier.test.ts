// A page may link to more addresses than a thread can list without blocking others.
import { expect, test } from 'vitest'
import { run, source, withProject } from '../../../test/contract/store-case.ts'
import { openSqliteStore } from './sqlite-store.ts'

test('lets other work run while very many listings are discovered, and discovers all', async () => {
  const store = await openSqliteStore(':memory:')
  await withProject(store)
  await store.runs.begin(run())
  const listings = Array.from({ length: 10_000 }, (_, at) => ({
    source: source().uuid,
    url: `https://docs.test/${at}`,
    depth: 1,
  }))
  const order: string[] = []
  const discovered = store.frontier.discover('r1', listings).then((count) => order.push(`listed ${count}`))
  setTimeout(() => order.push('other work'), 0)
  await discovered
  expect(order).toEqual(['other work', 'listed 10000'])
  expect((await store.runs.get('p1', 'r1'))?.pages.discovered).toBe(10_000)
  await store.close()
})
