import { describe, expect, it } from 'vitest'
import { correctQuestion } from './correct.ts'
import type { Vocabulary } from './vocabulary.ts'

function toVocabulary(words: Record<string, number>, units = 5_000): Vocabulary {
  const terms = Object.keys(words).sort()
  const counts = Uint32Array.from(terms, (term) => words[term]!)
  return { units, terms, counts, inHeadings: new Uint32Array(terms.length) }
}

const vocabulary = toVocabulary({
  ...{
    executable: 40,
    build: 90,
    table: 300,
    tabel_id: 9,
    commit: 500,
    commits: 200,
    planned: 30,
    flash: 20,
  },
  ...{ configure: 60, configuration: 80, rare: 5, ridge: 40, stored: 50, storage: 60, straw: 9, strewn: 2 },
  // Stems of all forms of their words.
  ...{ tabl: 450, handl: 90, handle: 40, handled: 20 },
  ...{ documentation: 70, channel: 40, chancel: 30, verzeichnis: 12 },
})
function correct(question: string, known = vocabulary) {
  const { q, corrections } = correctQuestion(question, known)
  return { q, corrections: corrections.map(({ term }) => term) }
}

describe('correctQuestion', () => {
  it.each([
    ['How do I build an executible?', 'How do I build an executable?', 'executable'],
    ['drop a Tabel.', 'drop a table.', 'table'],
    ['handel an error', 'handle an error', 'handle'],
    ['undo the last comit', 'undo the last commit', 'commit'],
    ['the docmentatoin of the build', 'the documentation of the build', 'documentation'],
    ['Wie lösche ich ein Verzeichniss?', 'Wie lösche ich ein verzeichnis?', 'verzeichnis'],
  ])('%s', (q, corrected, word) => {
    expect(correct(q)).toEqual({ q: corrected, corrections: [word] })
  })

  it('returns each corrected word once', () => {
    expect(correct('comit or not to comit an executible')).toEqual({
      q: 'commit or not to commit an executable',
      corrections: ['commit', 'executable'],
    })
  })

  it.each([
    ['a word that the project knows, in another form', 'building tables'],
    ['a word whose last letter makes it another word', 'who is the planner'],
    ['a short word one letter from another', 'deploy flask'],
    ['another first letter', 'fridge'],
    ['a word with two equally likely corrections', 'the chanel of the build'],
    ['one that only rare words are like', 'strewm'],
    ['names and options', '--comit comit_id comit.txt $comit Comit.build() comit2'],
    ['quoted words', 'the word "comit" or `git comit`'],
    ['a word similar to none', 'kubernetes'],
    ['a word of an unknown script', '実行ファイル'],
  ])('keeps %s', (_, q) => {
    expect(correct(q)).toEqual({ q, corrections: [] })
  })

  it('accepts any word of a small project as a correction', () => {
    const small = toVocabulary({ executable: 1 }, 20)
    expect(correct('build an executible', small).corrections).toEqual(['executable'])
    const large = toVocabulary({ executable: 1 }, 2_000)
    expect(correct('build an executible', large).corrections).toEqual([])
  })
})
