import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { findNear } from './fuzzy.ts'
import { complete, countOf, unknownWords, type Vocabulary } from './vocabulary.ts'
import { decodeVocabulary, encodeVocabulary } from './vocabulary-format.ts'

const toVocabulary = (words: string[]): Vocabulary => {
  const terms = [...new Set(words)].sort()
  return {
    units: 1000,
    terms,
    counts: Uint32Array.from(terms, (_, at) => 1 + ((at * 37) % 300)),
    inHeadings: Uint32Array.from(terms, (_, at) => (at * 13) % 5),
  }
}

/** Optimal string alignment, by the book: the whole table. */
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
  it('finds what a comparison with every term finds', () => {
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

  it('finds the terms of which some beginning is near', () => {
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
  it('comes back from its bytes', () => {
    fc.assert(
      fc.property(fc.array(fc.string({ unit: 'grapheme', minLength: 1 })), (words) => {
        const vocabulary = toVocabulary(words.map((each) => each.toWellFormed()))
        expect(decodeVocabulary(encodeVocabulary(vocabulary))).toEqual(vocabulary)
      }),
    )
  })

  it('counts a term, and an unknown one as 0', () => {
    const vocabulary = toVocabulary(['copy', 'table'])
    expect([countOf(vocabulary, 'copy'), countOf(vocabulary, 'cop')]).toEqual([1, 0])
  })

  it('completes with terms that begin so, those that head sections first', () => {
    const terms = ['cat', 'copy', 'cursor', 'dog']
    const counts = Uint32Array.of(100, 100, 2, 9)
    const vocabulary = { units: 100, terms, counts, inHeadings: Uint32Array.of(0, 50, 0, 0) }
    expect(complete(vocabulary, 'c', 2)).toEqual(['copy', 'cat'])
    expect(complete(vocabulary, 'x', 2)).toEqual([])
  })
})

describe('unknown words', () => {
  const terms = ['connect', 'git', 'proxy', 'run', 'server', 'style', 'task'].sort()
  const counts = Uint32Array.from(terms, () => 3)
  const vocabulary = { units: 10, terms, counts, inHeadings: counts }
  const unknown = (q: string) => unknownWords(q, vocabulary)

  it('names what no page holds, folded, in its order, once', () => {
    expect(unknown('Does Zookeeper run a task on Grafana or on zookeeper?')).toEqual(['zookeeper', 'grafana'])
  })

  it('knows other forms of a word, and compounds by their parts', () => {
    expect(unknown('running tasks, connected to git-style servers')).toEqual([])
    expect(unknown('git-flow or TaskServer?')).toEqual(['git-flow', 'taskserver'])
  })

  it('leaves out what any question may hold: little words, numbers, ideographs', () => {
    expect(unknown('How is it with the 3 proxies, 42.5 parsecs? 設定')).toEqual(['parsecs'])
    expect(unknown('')).toEqual([])
  })
})
