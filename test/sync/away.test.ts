// Backends that are briefly unavailable during a run or a recrawl of the in-process runner: store and index may be
// servers in the role `all` too (manual/configuration.md "What belongs together").
import { expect, test } from 'vitest'
import { backendAway } from '../../services/errors.ts'
import { failing } from '../servers/doom.ts'
import { type Lab, openLab } from './lab.ts'

let lab: Lab

async function begin(calls: string[]) {
  lab = await openLab({
    wrap: (store) =>
      calls.reduce(
        (wrapped, call) =>
          failing(wrapped, call, (count) => (count === 1 ? backendAway('store', null) : null)),
        store,
      ),
  })
  lab.writePages(['a.html', 'b.html'])
  await lab.addSource()
}

test.each([
  'runs.start',
  'frontier.next',
  'pages.publish',
  'frontier.settle',
  'pages.assignSources',
  'runs.finish',
])('a run continues if %s fails at first', async (call) => {
  await begin([call])
  expect(await lab.sync()).toMatchObject({ status: 'completed', pages: { discovered: 3, pending: 0 } })
  expect(await lab.indexedPaths()).toEqual(['/', '/a.html', '/b.html'])
  expect(await lab.eventsOf((await lab.store.runs.latest(lab.project))!, 'run_finished')).toHaveLength(1)
})

test('a run that fails by a bug ends even if the store is briefly unavailable', async () => {
  await begin(['runs.finish'])
  lab.index.optimize = () => Promise.reject(new TypeError('x is not a y'))
  const run = await lab.begin()
  // The bug is reported to the lab.
  await expect(lab.ended(run)).rejects.toThrow('x is not a y')
  expect(await lab.store.runs.get(lab.project, run.uuid)).toMatchObject({ status: 'failed' })
})

test('a recrawl is not dropped', async () => {
  await begin(['recrawls.settle'])
  await lab.sync()
  lab.site.pages.set('/a.html', '<title>A</title><p>Another text.')
  expect(await lab.recrawl(`${lab.site.url}a.html`)).toMatchObject({ status: 'indexed', reason: null })
})

test('a cancel ends the waiting', async () => {
  lab = await openLab({
    wrap: (store) => failing(store, 'frontier.settle', () => backendAway('store', null)),
  })
  lab.writePages(['a.html'])
  const run = await lab.begin()
  await expect.poll(() => lab.site.requests.length).toBeGreaterThan(0)
  await lab.cancel(run)
  expect((await lab.ended(run)).status).toBe('cancelled')
})
