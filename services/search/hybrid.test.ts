import { afterAll, describe, expect, it } from 'vitest'
import { project, toUnit } from '../../test/contract/search-index.suite.ts'
import { createFolder } from '../../test/folder.ts'
import { unfiltered } from '../../test/unfiltered.ts'
import { analyzeJoined } from '../index/analyze.ts'
import type { Unit } from '../index/search-index.ts'
import { openSegmentIndex } from '../index/segments/segment-index.ts'
import type { Store } from '../store/store.ts'
import type { Meaning, QuestionVector } from './meaning.ts'
import { createSearch, type SearchQuery } from './search.ts'
import { encodeVocabulary } from './vocabulary.ts'

const page = (name: string, text: string, other: Partial<Unit> = {}): Unit =>
  toUnit(0, analyzeJoined(text), {
    page: name,
    id: `${name}:${other.version ?? 1}:0`,
    url: `https://x.org/${name}.html`,
    anchor: null,
    pageTitle: name,
    heading: name,
    path: [],
    titleTerms: analyzeJoined(name),
    headingTerms: analyzeJoined(name),
    text,
    boost: 1,
    ...other,
  })

const getpass = page('getpass', 'Reads a passphrase in the dark.')
const stale = page('stale', 'Reads a passphrase in the dark.')
const german = page('kennwort', 'Liest ein Kennwort im Dunkeln.', { language: 'de' })
const pty = page('pty', 'The terminal of a process.')
const unembedded = page('colours', 'Bright and dark.')

const question = 'ask for a secret at the terminal without showing it'
const near: QuestionVector = { model: 'm', vector: Float32Array.of(1, 0) }

const folder = createFolder()
let asked: string[] = []
let answer: QuestionVector | null = near
let meaningUsed: Meaning | null = null

const index = await openSegmentIndex(folder)
await index.add(project, [getpass, stale, german, pty, unembedded])
await index.setVectors(project, 'm', [
  { unit: getpass.id, vector: Float32Array.of(1, 0.1) },
  { unit: stale.id, vector: Float32Array.of(1, 0) },
  { unit: german.id, vector: Float32Array.of(1, 0.2) },
  { unit: pty.id, vector: Float32Array.of(0.2, 1) },
])
const terms = encodeVocabulary(await index.vocabulary(project))
const current = new Map([getpass, german, pty, unembedded].map((unit) => [unit.page, 1]))
current.set('stale', 2)
const store = {
  vocabulary: { version: async () => 1, read: async () => ({ version: 1, terms }) },
  pages: { current: async () => current, content: async () => null },
} as unknown as Store
const of = async (text: string) => {
  asked.push(text)
  return answer ? { meaning: 'used' as const, vector: answer } : { meaning: 'late' as const, vector: null }
}
const searching = createSearch({ store, index, questionVectors: { of } })
afterAll(() => index.close())

async function ask(q: string, other: Partial<SearchQuery> = {}, given: QuestionVector | null = near) {
  asked = []
  answer = given
  const { results, meaning } = await searching.search({ project, q, limit: 10, ...unfiltered, ...other })
  meaningUsed = meaning
  return results.map(({ url }) => url.slice('https://x.org/'.length, -'.html'.length))
}

describe('search with vectors', () => {
  it('finds sections of similar meaning that share few words with the question', async () => {
    expect((await ask(question))[0]).toBe('getpass')
    expect(meaningUsed).toBe('used')
    expect((await ask(question, {}, null))[0]).not.toBe('getpass')
  })

  it('finds results for a question whose words no page has', async () => {
    expect((await ask('xyzzy plugh of frotz'))[0]).toBe('getpass')
  })

  it('requests no vector for a name, which it finds by its letters', async () => {
    expect((await ask('colours'))[0]).toBe('colours')
    expect(meaningUsed).toBeNull()
    expect(asked).toEqual([])
  })

  it('shows no outdated version of a page', async () => {
    expect(await ask(question)).not.toContain('stale')
  })

  it('applies filters', async () => {
    expect(await ask(question, { language: 'de' })).toEqual(['kennwort'])
    expect(await ask(question, { urlFilter: { field: 'domain_filter', pattern: 'pty' } })).toEqual(['pty'])
  })

  it('uses only words if vectors have another model or dimension', async () => {
    const lexical = await ask(question, {}, null)
    expect(meaningUsed).toBe('late')
    expect(await ask(question, {}, { ...near, model: 'n' })).toEqual(lexical)
    expect(meaningUsed).toBe('unembedded')
    expect(await ask(question, {}, { ...near, vector: Float32Array.of(1, 0, 0) })).toEqual(lexical)
  })
})

it('explains which words matched, and how similar each result is', async () => {
  const explain = async (q: string, given: QuestionVector | null) => {
    answer = given
    const request = { project, q, limit: 10, ...unfiltered, isExplained: true }
    const { results, explanation } = await searching.search(request)
    const byPage = results.map(({ documentId }, at) => [documentId, explanation!.results[at]!] as const)
    return { words: explanation!.words, of: new Map(byPage) }
  }
  const near1 = await explain(`${question} colours`, near)
  expect(near1.words).toEqual(['ask', 'secret', 'terminal', 'without', 'showing', 'colours'])
  expect(near1.of.get('getpass')).toEqual({ matched: [], similarity: expect.closeTo(0.995, 3) })
  expect(near1.of.get('pty')).toEqual({ matched: ['terminal'], similarity: expect.closeTo(0.196, 3) })
  expect(near1.of.get('colours')).toEqual({ matched: ['colours'], similarity: null })
  const byWords = await explain('colour', null)
  expect([byWords.words, byWords.of.get('colours')]).toEqual([
    ['colour'],
    { matched: ['colour'], similarity: null },
  ])
  expect(
    (await searching.search({ project, q: 'colours', limit: 1, ...unfiltered })).explanation,
  ).toBeUndefined()
})

it('returns the similarity of each passage, null if it is not embedded or there are no vectors', async () => {
  const request = { project, q: `${question} colours`, limit: 10, ...unfiltered }
  answer = near
  const { passages, model } = await searching.passages(request)
  const similarity = new Map(passages.map((passage) => [passage.page, passage.similarity]))
  expect(similarity.get('getpass')).toBeCloseTo(0.995, 3)
  expect(similarity.get('pty')).toBeCloseTo(0.196, 3)
  expect(similarity.get('colours')).toBeNull()
  // With some passages not embedded, similarity cannot compare them.
  expect(model).toBeNull()
  const embedded = await searching.passages({ ...request, q: question })
  expect(embedded.passages.every((passage) => passage.similarity !== null)).toBe(true)
  expect(embedded.model).toBe('m')
  answer = null
  const lexical = await searching.passages(request)
  expect(lexical.passages.map((passage) => passage.similarity)).toEqual(lexical.passages.map(() => null))
})
