// Limits of the work that a query of at most 500 characters may cause.

import { describe, expect, it, test } from 'vitest'
import { isQuestion, understand } from './understand.ts'
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
])('makes at most 48 groups of %s', (_, q) => {
  expect(understand(q, vocabulary, true).groups.length).toBeLessThanOrEqual(48)
})

test('limits the number and length of phrases', () => {
  expect(understand('"a b" '.repeat(83), vocabulary, true).phrases.length).toBeLessThanOrEqual(8)
  const [phrase] = understand(`"${'a b '.repeat(120)}"`, vocabulary, true).phrases
  expect(phrase!.length).toBeLessThanOrEqual(24)
  const { phrases } = understand(`"${'a b '.repeat(10)}" `.repeat(8), vocabulary, true)
  expect(phrases.map(({ length }) => length)).toEqual([20, 4])
})

test('corrects the first eight misspelled words, each once', () => {
  const typed = names.slice(0, 12).map((name) => name.replace('configure', 'confgiure'))
  const { groups } = understand(['confgiureaxyzxyz', ...typed].join(' '), vocabulary, true)
  const isCorrected = groups.map(({ word, alternatives }) => !alternatives.has(word))
  expect(isCorrected).toEqual([...Array(8).fill(true), ...Array(4).fill(false)])
})

/** A project of this many units, with the number of units that have each term. */
function vocabularyOf(units: number, counts: Record<string, number>): Vocabulary {
  const terms = Object.keys(counts).toSorted()
  const zeros = new Uint32Array(terms.length)
  return { units, terms, counts: Uint32Array.from(terms, (term) => counts[term]!), inHeadings: zeros }
}

const small = vocabularyOf(100, { job: 8, kill: 2, terminat: 5, stop: 9, task: 30 })

const wordsOf = (q: string, vocabulary = small) =>
  understand(q, vocabulary, false).groups.map(({ word }) => word)

test('searches a stop word that is a member of a name', () => {
  const words = vocabularyOf(100, { 'array.from': 1, array: 9, from: 50 })
  expect(understand('Array.from', words, false).terms).toContain('from')
  expect(understand('from Array', words, false).terms).not.toContain('from')
})

describe('understanding a question', () => {
  it('keeps the words of its subject, and all words if there are none', () => {
    expect(wordsOf('how do I kill the job')).toEqual(['kill', 'job'])
    expect(wordsOf('what is it for')).toEqual(['what', 'is', 'it', 'for'])
  })

  it('matches all forms of a word', () => {
    const [kill] = understand('killing it now?', small, false).groups
    expect([...kill!.alternatives]).toEqual([['kill', 1]])
  })

  it('removes the stop words of its language', () => {
    expect(wordsOf('wie beende ich die task')).toEqual(['beende', 'task'])
    expect(wordsOf('wie beende ich für alle die task')).toEqual(['beende', 'task'])
    expect(wordsOf('comment est-ce que l’on termine une tâche')).toEqual(['termine', 'tache'])
  })

  it('corrects an unknown word', () => {
    const [word] = understand('how is a tabel read', vocabularyOf(9, { table: 3, read: 2 }), false).groups
    expect(word!.alternatives.has('table')).toBe(true)
  })

  it('weights a word more if fewer units have it', () => {
    const [kill, job] = understand('kill a job that runs', small, false).groups
    expect(job!.idf).toBeLessThan(kill!.idf)
  })
})

describe('terms requested from the index', () => {
  it('are the words of the question, rare ones first, without those that no unit has', () => {
    const { terms } = understand('kill the job now', small, false)
    expect(terms).toEqual(['kill', 'job'])
  })

  it('exclude common words of a large project', () => {
    const large = vocabularyOf(100_000, { kill: 50, job: 900, task: 60_000, stop: 4_000 })
    expect(understand('kill the task of a job', large, false).terms).toEqual(['kill', 'job'])
  })

  it('are the rarest word if all are common', () => {
    const large = vocabularyOf(100_000, { file: 70_000, read: 60_000 })
    expect(understand('how do I read a file', large, false).terms).toEqual(['read'])
  })
})

const questions = [
  'how to parse TOML',
  'file that vanishes automatically after it is closed',
  'why so slow?',
  'wie kann ich eine Datei im Hintergrund lesen',
  'run a test only on Linux',
]
const lookedUp = [
  '',
  'a',
  'asyncio.create_task',
  'asyncio.create_t',
  'CREATE FOREIGN DATA WRAPPER',
  'abstract base class',
  'IS NOT NULL',
  'what?',
]

it.each(questions)('reads as a question: %s', (q) => expect(isQuestion(q)).toBe(true))
it.each(lookedUp)('reads as a name: %s', (q) => expect(isQuestion(q)).toBe(false))

describe('two words that pages write as one', () => {
  const terms = ['auto', 'autoincrement', 'increment']
  const written: Vocabulary = {
    units: 100,
    terms,
    counts: Uint32Array.of(60, 5, 40),
    inHeadings: new Uint32Array(terms.length),
  }
  const holders = (q: string, isTyping = false) =>
    understand(q, written, isTyping)
      .groups.filter(({ alternatives }) => alternatives.has('autoincrement'))
      .map(({ word }) => word)

  test.each([
    ['auto increment', false],
    ['auto incr', true],
  ])('are both found in the joined word: %s', (q, isTyping) => {
    expect(holders(q, isTyping)).toEqual(['auto', expect.stringMatching(/^incr/)])
  })

  test.each(['increment auto', 'auto', 'auto incr', 'how do I increment an auto increment?'])(
    'are not found in it otherwise: %s',
    (q) => {
      expect(holders(q)).toEqual([])
    },
  )
})
