// The vocabulary after a recrawl matches the index, even if the recrawl was interrupted before it counted.
import { randomUUID } from 'node:crypto'
import { beforeEach, expect, test } from 'vitest'
import { decodeVocabulary } from '../../services/search/vocabulary.ts'
import { recrawl } from '../contract/store-case.ts'
import { htmlPage } from '../e2e/site.ts'
import { type Lab, openLab } from './lab.ts'

let lab: Lab
let losesCounts: boolean
beforeEach(async () => {
  losesCounts = false
  lab = await openLab({
    wrap: (store) => ({
      ...store,
      vocabulary: {
        ...store.vocabulary,
        write: async (...args) => (losesCounts ? 0 : store.vocabulary.write(...args)),
      },
    }),
  })
  lab.site.pages.set('/', htmlPage('Start', 'An apple.'))
  await lab.sync()
  lab.site.pages.set('/', htmlPage('Start', 'A pear.'))
})

async function words(): Promise<string[]> {
  const stored = await lab.store.vocabulary.read(lab.project)
  return decodeVocabulary(stored!.terms).terms
}

test('has exactly the words of the current page', async () => {
  expect(await lab.recrawl(lab.site.url)).toMatchObject({ status: 'indexed' })
  expect(await words()).toContain('pear')
  expect(await words()).not.toContain('apple')
})

test('has the words of a recrawl that was interrupted after publishing', async () => {
  losesCounts = true
  await lab.recrawl(lab.site.url)
  expect(await words()).not.toContain('pear')
  losesCounts = false
  const uuid = randomUUID()
  const interrupted = { project: lab.project, url: lab.site.url, status: 'running' as const }
  await lab.store.recrawls.insert(recrawl(uuid, interrupted))
  await lab.restart()
  await lab.work.settled()
  expect(await lab.store.recrawls.get(lab.project, uuid)).toMatchObject({ status: 'unchanged' })
  expect(await words()).toContain('pear')
})

test('lacks the words of a page that a recrawl removed', async () => {
  const url = `${lab.site.url}alone.html`
  lab.site.pages.set('/alone.html', htmlPage('Alone', 'A quince.'))
  await lab.recrawl(url)
  expect(await words()).toContain('quince')
  lab.site.pages.delete('/alone.html')
  expect(await lab.recrawl(url)).toMatchObject({ status: 'dropped' })
  expect(await words()).not.toContain('quince')
})
