// The contract of the index port for every driver, as cases that any test file can run (services/index/search-index.ts).
import { strict as assert } from 'node:assert'
import { afterEach, beforeEach, describe, it } from 'vitest'
import type {
  SearchIndex,
  TermQuery,
  Unit,
  UnitFilter,
  Vocabulary,
} from '../../services/index/search-index.ts'

export const project = '0b9dfc2e-6d0a-4d0e-9d7c-3f1f6a1c2b3d'
export const otherProject = '7c1a51d4-55a2-4b57-8f6a-5a3a2b1c0d9e'
export const pageA = 'aaaaaaaa-0000-8000-8000-000000000001'
export const pageB = 'bbbbbbbb-0000-8000-8000-000000000002'

/** A unit of page A, version 1, with `bodyTerms` in its body, and fields to override. */
export function toUnit(ordinal: number, bodyTerms: string, other: Partial<Unit> = {}): Unit {
  const page = other.page ?? pageA
  const version = other.version ?? 1
  return {
    id: `${page}:${version}:${ordinal}`,
    page,
    version,
    ordinal,
    url: `https://docs.example.org/${page}`,
    anchor: `s${ordinal}`,
    kind: 'heading',
    pageTitle: 'Title',
    heading: 'Heading',
    path: ['Part', 'Chapter'],
    text: `Text ${bodyTerms} — “verbatim”\n\tcode`,
    titleTerms: 'title',
    headingTerms: 'heading part chapter',
    bodyTerms,
    sourceType: 'site',
    docVersion: null,
    language: null,
    boost: 1.5,
    ...other,
  }
}

/** Searches for terms, each a single word. */
export function toQuery(terms: string[], other: Partial<TermQuery> = {}): TermQuery {
  return { words: terms.map((term) => [{ term, weight: 1 }]), limit: 100, ...other }
}

async function idsOf(index: SearchIndex, terms: string[], other: Partial<TermQuery> = {}) {
  return (await index.findByTerms(project, toQuery(terms, other))).map(({ unit }) => unit.id)
}

async function sortedIds(index: SearchIndex, terms: string[], other: Partial<TermQuery> = {}) {
  return (await idsOf(index, terms, other)).sort()
}

export async function versionsOf(index: SearchIndex, of = project) {
  const found: { page: string; version: number; units: number }[] = []
  for await (const version of index.versions(of)) found.push(version)
  return found.sort((a, b) => a.page.localeCompare(b.page) || a.version - b.version)
}

/** `counts`: term → units, units with the term in a heading. */
function toVocabulary(units: number, counts: Record<string, number[]>): Vocabulary {
  const columns = Object.values(counts)
  return {
    units,
    terms: Object.keys(counts),
    counts: Uint32Array.from(columns, ([all]) => all!),
    inHeadings: Uint32Array.from(columns, ([, inHeadings]) => inHeadings!),
  }
}

export type Cases = Record<string, (index: SearchIndex) => Promise<void>>

const first = toUnit(0, 'apple pear')
const second = toUnit(1, 'pear plum')

export const cases: Cases = {
  async 'finds a unit by an exact term of any field once add resolves, and returns it unchanged'(index) {
    const unit = toUnit(0, 'asyncio.create_task 全文', {
      titleTerms: 'intitle',
      headingTerms: 'inheading',
      listing: 0.37,
      also: [{ heading: 'Other', anchor: 'other' }],
    })
    await index.add(project, [unit])
    for (const term of ['intitle', 'inheading', 'asyncio.create_task', '全文']) {
      const hits = await index.findByTerms(project, toQuery([term]))
      assert.deepEqual(
        hits.map((hit) => hit.unit),
        [unit],
        term,
      )
    }
    assert.deepEqual(await idsOf(index, ['asyncio']), [])
  },
  async 'returns existing units by id'(index) {
    assert.deepEqual(await index.units(project, [first.id]), [])
    await index.add(project, [first, second])
    await index.add(project, [toUnit(2, 'fig'), toUnit(0, 'apple', { page: pageB })])
    const ids = [second.id, `${pageA}:1:2`, `${pageA}:1:3`, `${pageA}:2:0`, `${pageB}:1:1`]
    const found = await index.units(project, ids)
    assert.deepEqual(
      found.sort((a, b) => a.ordinal - b.ordinal),
      [second, toUnit(2, 'fig')],
    )
    assert.deepEqual(await index.units(project, []), [])
    assert.deepEqual(await index.units(otherProject, [`${pageB}:1:0`]), [])
  },
  async 'counts the units of every term, and those with it in a heading, without removed units'(index) {
    assert.deepEqual(await index.vocabulary(project), toVocabulary(0, {}))
    await index.add(project, [first, toUnit(1, 'pear', { titleTerms: 'pear', headingTerms: 'plum plum' })])
    await index.add(project, [toUnit(0, 'apple', { page: pageB, titleTerms: '', headingTerms: 'apple' })])
    const all = {
      apple: [2, 1],
      chapter: [1, 1],
      heading: [1, 1],
      part: [1, 1],
      pear: [2, 0],
      plum: [1, 1],
    }
    assert.deepEqual(await index.vocabulary(project), toVocabulary(3, { ...all, title: [1, 0] }))
    await index.remove(project, [{ page: pageA, version: 1 }])
    assert.deepEqual(await index.vocabulary(project), toVocabulary(1, { apple: [1, 1] }))
    await index.optimize(project)
    assert.deepEqual(await index.vocabulary(project), toVocabulary(1, { apple: [1, 1] }))
  },
  async 'finds units with any of the terms'(index) {
    await index.add(project, [first, second, toUnit(2, 'fig')])
    assert.deepEqual(await sortedIds(index, ['apple', 'plum', 'unknown']), [first.id, second.id])
  },
  async 'ranks units with more words and with heavier words first, by descending score'(index) {
    const units = Array.from({ length: 20 }, (_, ordinal) => toUnit(ordinal, 'common'))
    await index.add(project, [...units, toUnit(20, 'common rare'), toUnit(21, 'rare')])
    const { words, ...query } = toQuery(['rare', 'common'])
    words[0]![0]!.weight = 2
    const hits = await index.findByTerms(project, { ...query, words })
    assert.deepEqual(
      hits.slice(0, 2).map(({ unit }) => unit.ordinal),
      [20, 21],
    )
    assert.deepEqual(
      hits.map(({ score }) => score),
      hits.map(({ score }) => score).sort((a, b) => b - a),
    )
  },
  async 'ranks a term in a heading above one in the body'(index) {
    const inBody = toUnit(0, 'word', { headingTerms: 'x' })
    const inHeading = toUnit(1, 'x', { headingTerms: 'word' })
    await index.add(project, [inBody, inHeading])
    assert.deepEqual(await idsOf(index, ['word']), [inHeading.id, inBody.id])
  },
  async 'returns at most `limit` hits'(index) {
    await index.add(
      project,
      Array.from({ length: 30 }, (_, ordinal) => toUnit(ordinal, 'word')),
    )
    assert.equal((await idsOf(index, ['word'], { limit: 7 })).length, 7)
  },
  async 'filters strictly by version, language and source types'(index) {
    await index.add(project, [
      toUnit(0, 'word', { docVersion: '1.0', language: 'en', sourceType: 'site' }),
      toUnit(1, 'word', { docVersion: '2.0', language: 'de', sourceType: 'file' }),
      toUnit(2, 'word'),
    ])
    const only = async (filter: UnitFilter) =>
      (await index.findByTerms(project, toQuery(['word'], { filter }))).map(({ unit }) => unit.ordinal).sort()
    assert.deepEqual(await only({ docVersion: '1.0' }), [0])
    assert.deepEqual(await only({ language: 'de' }), [1])
    assert.deepEqual(await only({ sourceTypes: ['site', 'url'] }), [0, 2])
    assert.deepEqual(await only({ docVersion: '1.0', language: 'de' }), [])
  },
  async 'returns an id once, even if it is requested repeatedly'(index) {
    await index.add(project, [first, second])
    await index.add(project, [{ ...first, bodyTerms: 'changed' }, first])
    assert.deepEqual(await idsOf(index, ['apple']), [first.id])
    assert.deepEqual(await idsOf(index, ['changed']), [])
    assert.deepEqual(await versionsOf(index), [{ page: pageA, version: 1, units: 2 }])
  },
  async 'completes a page version of which some units exist'(index) {
    await index.add(project, [first])
    await index.add(project, [first, second])
    assert.deepEqual(await sortedIds(index, ['pear']), [first.id, second.id])
  },
  async 'accepts concurrent calls'(index) {
    const units = Array.from({ length: 12 }, (_, ordinal) => toUnit(ordinal, 'word'))
    await Promise.all(units.map((unit) => index.add(project, [unit])))
    assert.equal((await idsOf(index, ['word'])).length, 12)
  },
  async 'removes by page and version permanently, and ignores unknown ones'(index) {
    const next = toUnit(0, 'pear', { version: 2 })
    const other = toUnit(0, 'pear', { page: pageB })
    await index.add(project, [first, second, next, other])
    await index.remove(project, [
      { page: pageA, version: 1 },
      { page: pageB, version: 9 },
    ])
    assert.deepEqual(await sortedIds(index, ['pear']), [next.id, other.id])
    await index.optimize(project)
    assert.deepEqual(await sortedIds(index, ['pear']), [next.id, other.id])
  },
  async 'lists the versions that have units'(index) {
    await index.add(project, [first, second])
    await index.add(project, [toUnit(0, 'x', { version: 5 }), toUnit(0, 'x', { page: pageB })])
    await index.remove(project, [{ page: pageA, version: 1 }])
    assert.deepEqual(await versionsOf(index), [
      { page: pageA, version: 5, units: 1 },
      { page: pageB, version: 1, units: 1 },
    ])
  },
  async 'returns the same hits after optimizing'(index) {
    for (let ordinal = 0; ordinal < 40; ordinal++)
      await index.add(project, [toUnit(ordinal, `word w${ordinal}`)])
    const before = await sortedIds(index, ['word'])
    await index.optimize(project)
    assert.deepEqual(await sortedIds(index, ['word']), before)
    assert.deepEqual(await idsOf(index, ['w17']), [toUnit(17, '').id])
  },
  async 'keeps projects apart, finds nothing in an unknown one, and drops all units of one'(index) {
    assert.deepEqual(await idsOf(index, ['apple']), [])
    await index.add(project, [first])
    await index.add(otherProject, [second])
    await index.drop(project)
    await index.drop(project)
    assert.deepEqual(await idsOf(index, ['apple', 'pear']), [])
    assert.equal((await index.findByTerms(otherProject, toQuery(['pear', 'apple']))).length, 1)
    await index.add(project, [first])
    assert.deepEqual(await idsOf(index, ['apple']), [first.id])
  },
  async 'lists the projects that have units, without dropped ones'(index) {
    assert.deepEqual(await index.projects(), [])
    await index.add(project, [first])
    await index.add(otherProject, [second])
    assert.deepEqual((await index.projects()).sort(), [otherProject, project].sort())
    await index.drop(otherProject)
    assert.deepEqual(await index.projects(), [project])
    await index.add(otherProject, [second])
    assert.deepEqual((await index.projects()).sort(), [otherProject, project].sort())
  },
  'answers a ping': (index) => index.ping(),
}

/** Registers these cases for a driver; `open` returns an empty index. */
export function searchIndexSuite(name: string, cases: Cases, open: () => Promise<SearchIndex>): void {
  describe(name, () => {
    let index: SearchIndex
    beforeEach(async () => {
      index = await open()
    })
    afterEach(() => index.close())
    for (const [rule, run] of Object.entries(cases)) it(rule, () => run(index))
  })
}
