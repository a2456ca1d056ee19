// A source that lists more addresses than it may: what is beyond is not gone.
import { afterEach, expect, test } from 'vitest'
import type { Store } from '../../services/store/store.ts'
import { type Lab, openLab } from './lab.ts'

let lab: Lab
afterEach(() => lab.close())

test('a page that a source may list beyond its limit of addresses is kept', async () => {
  let isFull = false
  let linksAreRead = false
  const wrap = (store: Store): Store => ({
    ...store,
    frontier: {
      ...store.frontier,
      listed: async (...of) => (isFull && linksAreRead ? 100_000 : store.frontier.listed(...of)),
      settle: (...of) => {
        linksAreRead = true
        return store.frontier.settle(...of)
      },
    },
  })
  lab = await openLab({ wrap })
  lab.writePages(['a.html', 'b.html', 'c.html'])
  await lab.addSource()
  await lab.sync()
  lab.writePages(['a.html', 'b.html'])
  isFull = true
  linksAreRead = false
  await lab.sync()
  expect(await lab.indexedPaths()).toContain('/c.html')

  isFull = false
  await lab.sync()
  expect(await lab.indexedPaths()).not.toContain('/c.html')
})
