import fc from 'fast-check'
import { describe, expect, it, test } from 'vitest'
import { findNear } from './correct.ts'
import {
  complete,
  createVocabularies,
  decodeVocabulary,
  encodeVocabulary,
  readCount,
  type Vocabulary,
} from './vocabulary.ts'

const toVocabulary = (words: string[]): Vocabulary => {
  const terms = [...new Set(words)].sort()
  return {
    units: 1000,
    terms,
    counts: Uint32Array.from(terms, (_, at) => 1 + ((at * 37) % 300)),
    inHeadings: Uint32Array.from(terms, (_, at) => (at * 13) % 5),
  }
}

/** Optimal string alignment, with the complete table. */
function distance(a: string, b: string): number {
  const rows = Array.from({ length: a.length + 1 }, (_, i) =>
    Array.from({ length: b.length + 1 }, (_, j) => i || j),
  )
  for (let i = 1; i <= a.length; i++) {
    for (let j = 1; j <= b.length; j++) {
      const change = a[i - 1] === b[j - 1] ? 0 : 1
      rows[i]![j] = Math.min(rows[i - 1]![j]! + 1, rows[i]![j - 1]! + 1, rows[i - 1]![j - 1]! + change)
      if (i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1]) {
        rows[i]![j] = Math.min(rows[i]![j]!, rows[i - 2]![j - 2]! + 1)
      }
    }
  }
  return rows[a.length]![b.length]!
}

const word = fc.stringMatching(/^[abc]{1,7}$/)

describe('findNear', () => {
  it('finds the same as a comparison with every term', () => {
    fc.assert(
      fc.property(
        fc.array(word, { maxLength: 60, size: 'max' }),
        word,
        fc.constantFrom(1, 2),
        (words, typed, limit) => {
          const { terms } = toVocabulary(words)
          const found = findNear(terms, typed, limit).map(({ place, errors }) => [terms[place], errors])
          const expected = terms
            .map((term) => [term, distance(term, typed)])
            .filter(([, errors]) => (errors as number) <= limit)
          expect(found).toEqual(expected)
        },
      ),
    )
  })

  it('finds terms with a similar prefix', () => {
    fc.assert(
      fc.property(fc.array(word, { maxLength: 60, size: 'max' }), word, (words, typed) => {
        const { terms } = toVocabulary(words)
        const found = findNear(terms, typed, 1, { asPrefix: true }).map(({ place }) => terms[place])
        const expected = terms.filter((term) =>
          Array.from({ length: term.length + 1 }, (_, end) => distance(term.slice(0, end), typed)).some(
            (errors) => errors <= 1,
          ),
        )
        expect(found).toEqual(expected)
      }),
    )
  })
})

describe('vocabulary', () => {
  it('survives encoding and decoding', () => {
    fc.assert(
      fc.property(fc.array(fc.string({ unit: 'grapheme', minLength: 1 })), (words) => {
        const vocabulary = toVocabulary(words.map((each) => each.toWellFormed()))
        expect(decodeVocabulary(encodeVocabulary(vocabulary))).toEqual(vocabulary)
      }),
    )
  })

  it('counts a term, and returns 0 for an unknown one', () => {
    const vocabulary = toVocabulary(['copy', 'table'])
    expect([readCount(vocabulary, 'copy'), readCount(vocabulary, 'cop')]).toEqual([1, 0])
  })

  it('completes terms, those in headings first', () => {
    const terms = ['cat', 'copy', 'cursor', 'dog']
    const counts = Uint32Array.of(100, 100, 2, 9)
    const vocabulary = { units: 100, terms, counts, inHeadings: Uint32Array.of(0, 50, 0, 0) }
    expect(complete(vocabulary, 'c', 2)).toEqual(['copy', 'cat'])
    expect(complete(vocabulary, 'x', 2)).toEqual([])
  })
})

const terms = (word: string) =>
  encodeVocabulary({ units: 1, terms: [word], counts: Uint32Array.of(1), inHeadings: Uint32Array.of(0) })

/** A store whose reads a test can hold, and a clock. */
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

test('reads a newer vocabulary in the background, without delaying a query', async () => {
  const lab = createLab()
  expect(await lab.words()).toEqual(['old'])
  lab.stored = { version: 2, terms: terms('new') }
  const release = Promise.withResolvers<void>()
  lab.hold = () => release.promise
  lab.now += 1_000
  // The store does not respond, but the query has its vocabulary.
  expect(await lab.words()).toEqual(['old'])
  release.resolve()
  await expect.poll(lab.words).toEqual(['new'])
})

test('checks for a new version from time to time, and does not read an unchanged one again', async () => {
  const lab = createLab()
  await lab.words()
  lab.hold = () => new Promise(() => {})
  for (let query = 0; query < 10; query++) expect(await lab.words()).toEqual(['old'])
  expect(lab.checks).toBe(0)
  lab.now += 1_000
  for (let query = 0; query < 10; query++) expect(await lab.words()).toEqual(['old'])
  await expect.poll(() => lab.checks).toBe(1)
})

test('keeps the old vocabulary if a check fails, and finds the new one with the next check', async () => {
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
