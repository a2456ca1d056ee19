// What a query of at most 500 characters may ask of a search: the bounds of its work.
import { expect, test } from 'vitest'
import { understand } from './understand.ts'
import type { Vocabulary } from './vocabulary.ts'

const names = Array.from(
  { length: 26 },
  (_, at) => `configure${String.fromCharCode(97 + at)}${'xyz'.repeat(2)}`,
)
const vocabulary: Vocabulary = {
  units: 100,
  terms: names,
  counts: new Uint32Array(names.length).fill(1),
  inHeadings: new Uint32Array(names.length),
}

const ideographs = Array.from({ length: 500 }, (_, at) => String.fromCharCode(0x4e00 + at)).join('')
const identifier = Array.from({ length: 250 }, (_, at) => String.fromCharCode(0x3b1 + at)).join('.')

test.each([
  ['ideographs', ideographs],
  ['an identifier', identifier],
  ['many words', names.join(' ').slice(0, 500)],
])('of %s, at most 48 groups are made', (_, q) => {
  expect(understand(q, vocabulary).groups.length).toBeLessThanOrEqual(48)
})

test('phrases are few, and short', () => {
  expect(understand('"a b" '.repeat(83), vocabulary).phrases.length).toBeLessThanOrEqual(8)
  const [phrase] = understand(`"${'a b '.repeat(120)}"`, vocabulary).phrases
  expect(phrase!.length).toBeLessThanOrEqual(24)
  const { phrases } = understand(`"${'a b '.repeat(10)}" `.repeat(8), vocabulary)
  expect(phrases.map(({ length }) => length)).toEqual([20, 4])
})

test('the first eight wrong words are corrected, each once', () => {
  const typed = names.slice(0, 12).map((name) => name.replace('configure', 'confgiure'))
  const { groups } = understand(['confgiureaxyzxyz', ...typed].join(' '), vocabulary)
  const isCorrected = groups.map(({ word, alternatives }) => !alternatives.has(word))
  expect(isCorrected).toEqual([...Array(8).fill(true), ...Array(4).fill(false)])
})
