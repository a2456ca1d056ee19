import { describe, expect, it } from 'vitest'
import { isQuestion, understandQuestion } from './understand-question.ts'
import type { Vocabulary } from './vocabulary.ts'

/** A project of so many units, and how many of them hold each term. */
function vocabularyOf(units: number, counts: Record<string, number>): Vocabulary {
  const terms = Object.keys(counts).toSorted()
  const zeros = new Uint32Array(terms.length)
  return { units, terms, counts: Uint32Array.from(terms, (term) => counts[term]!), inHeadings: zeros }
}

const small = vocabularyOf(100, { job: 8, kill: 2, terminat: 5, stop: 9, task: 30 })

const wordsOf = (q: string, vocabulary = small) =>
  understandQuestion(q, vocabulary, 'none').groups.map(({ word }) => word)

describe('understanding a question', () => {
  it('keeps the words that carry its subject, and all of them where none does', () => {
    expect(wordsOf('how do I kill the job')).toEqual(['kill', 'job'])
    expect(wordsOf('what is it for')).toEqual(['what', 'is', 'it', 'for'])
  })

  it('takes a word in all its forms', () => {
    const [kill] = understandQuestion('killing it now', small, 'none').groups
    expect([...kill!.alternatives]).toEqual([['kill', 1]])
  })

  it('leaves out the little words of the language that it is in', () => {
    expect(wordsOf('wie beende ich die task')).toEqual(['beende', 'task'])
  })

  it('corrects an unknown word', () => {
    const [word] = understandQuestion(
      'how is a tabel read',
      vocabularyOf(9, { table: 3, read: 2 }),
      'none',
    ).groups
    expect(word!.alternatives.has('table')).toBe(true)
  })

  it('finds a word the rarer, the fewer units hold it', () => {
    const [kill, job] = understandQuestion('kill a job that runs', small, 'none').groups
    expect(job!.idf).toBeLessThan(kill!.idf)
  })
})

describe('what the index is asked for', () => {
  it('names the reader’s words, rare ones first, and none that no unit holds', () => {
    const { terms } = understandQuestion('kill the job now', small, 'none')
    expect(terms).toEqual(['kill', 'job'])
  })

  it('leaves out common words of a large project', () => {
    const large = vocabularyOf(100_000, { kill: 50, job: 900, task: 60_000, stop: 4_000 })
    expect(understandQuestion('kill the task of a job', large, 'none').terms).toEqual(['kill', 'job'])
  })

  it('asks for the rarest word when all are common', () => {
    const large = vocabularyOf(100_000, { file: 70_000, read: 60_000 })
    expect(understandQuestion('how do I read a file', large, 'none').terms).toEqual(['read'])
  })
})

const questions = [
  'how to parse TOML',
  'file that vanishes automatically after it is closed',
  'why so slow?',
  'wie kann ich eine Datei im Hintergrund lesen',
  'run a test only on Linux',
]
const names = [
  '',
  'a',
  'asyncio.create_task',
  'asyncio.create_t',
  'CREATE FOREIGN DATA WRAPPER',
  'abstract base class',
  'IS NOT NULL',
  'what?',
]

it.each(questions)('takes for a question: %s', (q) => expect(isQuestion(q)).toBe(true))
it.each(names)('takes for a name: %s', (q) => expect(isQuestion(q)).toBe(false))
