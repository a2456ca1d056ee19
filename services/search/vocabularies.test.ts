import { expect, test } from 'vitest'
import { createVocabularies } from './vocabularies.ts'
import { encodeVocabulary } from './vocabulary-format.ts'

const terms = (word: string) =>
  encodeVocabulary({ units: 1, terms: [word], counts: Uint32Array.of(1), inHeadings: Uint32Array.of(0) })

/** A store whose reads can be held, and a clock. */
function createLab() {
  const lab = { stored: { version: 1, terms: terms('old') }, now: 1_000, checks: 0, hold: async () => {} }
  const store = {
    async version() {
      lab.checks += 1
      return lab.stored.version
    },
    async read() {
      await lab.hold()
      return lab.stored
    },
    write: async () => 0,
  }
  const vocabularies = createVocabularies(store, () => lab.now)
  return Object.assign(lab, { words: async () => (await vocabularies.of('p')).terms })
}

test('a newer vocabulary is read behind the answers: no query waits for it', async () => {
  const lab = createLab()
  expect(await lab.words()).toEqual(['old'])
  lab.stored = { version: 2, terms: terms('new') }
  const release = Promise.withResolvers<void>()
  lab.hold = () => release.promise
  lab.now += 1_000
  // The store does not answer, and the query has its vocabulary all the same.
  expect(await lab.words()).toEqual(['old'])
  release.resolve()
  await expect.poll(lab.words).toEqual(['new'])
})

test('one that is unchanged is looked for now and then, and not read again', async () => {
  const lab = createLab()
  await lab.words()
  lab.hold = () => new Promise(() => {})
  for (let query = 0; query < 10; query++) expect(await lab.words()).toEqual(['old'])
  expect(lab.checks).toBe(0)
  lab.now += 1_000
  for (let query = 0; query < 10; query++) expect(await lab.words()).toEqual(['old'])
  await expect.poll(() => lab.checks).toBe(1)
})

test('a check that fails leaves the old one, and the next check finds the new one', async () => {
  const lab = createLab()
  await lab.words()
  lab.stored = { version: 2, terms: terms('new') }
  lab.hold = () => Promise.reject(new Error('away'))
  lab.now += 1_000
  expect(await lab.words()).toEqual(['old'])
  await expect.poll(() => lab.checks).toBe(1)
  lab.hold = async () => {}
  lab.now += 1_000
  await lab.words()
  await expect.poll(lab.words).toEqual(['new'])
})
