// A source or a page that lists more addresses than allowed: the rest is ignored, but does not count as gone.
import { expect, test } from 'vitest'
import type { Store } from '../../services/store/store.ts'
import { htmlPage } from '../e2e/site.ts'
import { type Lab, openLab } from './lab.ts'

let lab: Lab

test('keeps a page that a source may list beyond its limit of addresses', async () => {
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

test('follows 10,000 links of a page, and warns of the rest in its event', async () => {
  lab = await openLab()
  const links = Array.from({ length: 10_003 }, (_, at) => `/old/${at}.html`)
  lab.site.pages.set('/', htmlPage('Start', 'Where to begin.', links))
  await lab.addSource({ exclude: ['/old/**'] })
  const run = await lab.sync()
  expect(run.pages).toMatchObject({ discovered: 10_001, added: 1, skipped: 10_000 })
  const [event] = await lab.eventsOf(run, 'page_added')
  expect(event).toMatchObject({ level: 'warning', message: expect.stringContaining('its links') })
})

test('warns if a source lists more than LECTERN_ADDRESS_LIMIT, and names the setting', async () => {
  lab = await openLab({ addressLimit: 3 })
  lab.writePages(['a.html', 'b.html', 'c.html'])
  const run = await lab.sync()
  expect(run.pages).toMatchObject({ discovered: 3, added: 3 })
  const events = await lab.eventsOf(run, 'source_finished')
  expect(events).toMatchObject([{ level: 'warning' }])
  expect(events[0]!.message).toMatch(/more than 3 addresses.*LECTERN_ADDRESS_LIMIT/)
})
