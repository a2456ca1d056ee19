// The next sync restores lost units of an index, or an emptied index, from the text in the store (issue
// "rebuildable from the extracted text in the store").
import { beforeEach, expect, test } from 'vitest'
import { decodeVocabulary } from '../../services/search/vocabulary.ts'
import { toQuery } from '../contract/search-index.suite.ts'
import { type Lab, openLab } from './lab.ts'

let lab: Lab
beforeEach(async () => {
  lab = await openLab()
  lab.writePages(['a.html', 'b.html', 'c.html'])
  await lab.sync()
})

const versions = async () => {
  const found: { page: string; version: number; units: number }[] = []
  for await (const version of lab.index.versions(lab.project)) found.push(version)
  return found.toSorted((one, other) => (one.page < other.page ? -1 : 1))
}
const found = async (term: string) => {
  const hits = await lab.index.findByTerms(lab.project, toQuery([term]))
  return hits.map(({ unit }) => new URL(unit.url).pathname).sort()
}
const restorations = async (run: { uuid: string }) =>
  (await lab.eventsOf(run)).filter(({ id }) => id === 'index_restored').map(({ message }) => message)

test('restores all units under the same versions, with their terms', async () => {
  const before = await versions()
  const terms = decodeVocabulary((await lab.store.vocabulary.read(lab.project))!.terms)
  await lab.index.drop(lab.project)
  await lab.store.vocabulary.write(lab.project, new Uint8Array())
  const run = await lab.sync()
  expect(run).toMatchObject({ status: 'completed', pages: { unchanged: 4, added: 0, updated: 0 } })
  expect(await versions()).toEqual(before)
  expect(await found('b.html')).toEqual(['/', '/b.html'])
  expect(decodeVocabulary((await lab.store.vocabulary.read(lab.project))!.terms)).toEqual(terms)
  expect(await restorations(run)).toEqual([
    'The index lacked 4 pages: they were restored from their stored text.',
  ])
})

test('indexes the new text of a page that has changed as well', async () => {
  await lab.index.drop(lab.project)
  lab.writePages(['a.html', 'b.html', 'c.html'], 'Other sayings of')
  expect((await lab.sync()).pages).toMatchObject({ unchanged: 1, updated: 3 })
  expect(await versions()).toHaveLength(4)
  expect(await found('words')).toEqual([])
})

test('restores the units of one page and writes nothing else', async () => {
  const before = await versions()
  await lab.index.remove(lab.project, [before[1]!])
  const run = await lab.sync()
  expect(await versions()).toEqual(before)
  expect(await restorations(run)).toHaveLength(1)
  expect(await restorations(await lab.sync())).toEqual([])
})

test('leaves a page that is published during the restore to its writer', async () => {
  const before = await versions()
  await lab.index.drop(lab.project)
  // A recrawl publishes and sweeps between reading the text and writing the units.
  const { add } = lab.index
  lab.index.add = async (project, units) => {
    lab.index.add = add
    const { pages } = lab.store
    const [page] = await pages.byUuids([before[0]!.page])
    const next = { ...page!, version: page!.version + 1, fetchedAt: new Date().toISOString() }
    const content = (await pages.content(page!.uuid))!
    await pages.publish(project, null, [{ page: next, content }])
    await pages.forget(project, await pages.swept(project, 10))
    await add(project, units)
  }
  await lab.sync()
  expect(await versions()).toEqual(before.slice(1))
  await lab.sync()
  expect(await versions()).toEqual(before.with(0, { ...before[0]!, version: before[0]!.version + 1 }))
})
