import { mkdir, readdir, utimes, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { beforeEach, describe, expect, it } from 'vitest'
import { project, toQuery, toUnit } from '../../../test/contract/search-index.suite.ts'
import { createFolder } from '../../../test/folder.ts'
import type { SearchIndex } from '../search-index.ts'
import { openSegmentIndex } from './segment-index.ts'

const find = async (index: SearchIndex, term: string) =>
  (await index.findByTerms(project, toQuery([term]))).map(({ unit }) => unit.ordinal).sort((a, b) => a - b)

let folder: string
beforeEach(async () => {
  folder = createFolder()
})

describe('several handles on one folder', () => {
  it('see at once what another has added, merged, removed and dropped', async () => {
    const writer = await openSegmentIndex(folder)
    const reader = await openSegmentIndex(folder)
    expect(await find(reader, 'word')).toEqual([])
    await writer.add(project, [toUnit(0, 'word')])
    expect(await find(reader, 'word')).toEqual([0])
    for (let ordinal = 1; ordinal < 100; ordinal++) await writer.add(project, [toUnit(ordinal, 'word')])
    expect((await find(reader, 'word')).length).toBe(100)
    await writer.optimize(project)
    expect((await find(reader, 'word')).length).toBe(100)
    await writer.remove(project, [{ page: toUnit(0, '').page, version: 1 }])
    expect(await find(reader, 'word')).toEqual([])
    await writer.add(project, [toUnit(0, 'word', { version: 2 })])
    await writer.drop(project)
    expect(await find(reader, 'word')).toEqual([])
  })

  it('write in turn without losing anything', async () => {
    const writers = await Promise.all([1, 2, 3].map(() => openSegmentIndex(folder)))
    for (let ordinal = 0; ordinal < 60; ordinal++) {
      await writers[ordinal % 3]!.add(project, [toUnit(ordinal, 'word')])
    }
    expect((await find(writers[0]!, 'word')).length).toBe(60)
  })
})

it('ranks merged units as if they had been added at once, without those removed earlier', async () => {
  const units = Array.from({ length: 90 }, (_, at) => {
    const [version, docVersion] = [1 + (at % 3), at % 2 === 0 ? '1.0' : null]
    const body = `common ${'often '.repeat(at % 50)}word${at % 7}`
    return toUnit(at, body, {
      version,
      docVersion,
      titleTerms: `title${at % 2}`,
      headingTerms: `word${at % 5}`,
    })
  })
  const isKept = ({ version }: { version: number }) => version !== 2
  const [merged, whole] = [
    await openSegmentIndex(join(folder, 'merged')),
    await openSegmentIndex(join(folder, 'whole')),
  ]
  for (let at = 0; at < units.length; at += 9) await merged.add(project, units.slice(at, at + 9))
  await merged.remove(project, [{ page: units[0]!.page, version: 2 }])
  await merged.optimize(project)
  await whole.add(project, units.filter(isKept))
  for (const filter of [{}, { docVersion: '1.0' }]) {
    for (const terms of [['often'], ['word3', 'title1'], ['common', 'word6']]) {
      const query = { ...toQuery(terms), limit: 100, filter }
      const expected = await whole.findByTerms(project, query)
      const found = await merged.findByTerms(project, query)
      expect(found.map(({ unit: { id }, score }) => ({ id, score }))).toEqual(
        expected.map(({ unit: { id }, score }) => ({ id, score })),
      )
      expect(found.map(({ unit }) => unit.text)).toEqual(expected.map(({ unit }) => unit.text))
    }
  }
  expect(await merged.vocabulary(project)).toEqual(await whole.vocabulary(project))
  expect(await readdir(join(folder, 'merged', project))).toHaveLength(2)
})

it('terms of one word count as one, by the best of them in a unit, and for no more than the word itself', async () => {
  const index = await openSegmentIndex(folder)
  const others = Array.from({ length: 20 }, (_, at) => toUnit(10 + at, 'code'))
  await index.add(project, [
    toUnit(0, 'search code'),
    toUnit(1, 'code codes codespace codespaces coder'),
    toUnit(2, 'search'),
    ...others,
  ])
  const completions = ['codes', 'codespace', 'codespaces', 'coder']
  const words = [
    [{ term: 'search', weight: 3 }],
    [{ term: 'code', weight: 1 }, ...completions.map((term) => ({ term, weight: 0.5 }))],
  ]
  const found = await index.findByTerms(project, { words, limit: 3 })
  expect(found.map(({ unit }) => unit.ordinal).slice(0, 2)).toEqual([0, 2])
  const without = await index.findByTerms(project, toQuery(['search', 'code', ...completions]))
  expect(without[0]!.unit.ordinal).toBe(1)
  const again = await index.findByTerms(project, { words, limit: 3 })
  expect(again.map(({ score }) => score)).toEqual(found.map(({ score }) => score))
})

it('files that a killed writer leaves are ignored, and deleted later', async () => {
  const before = await openSegmentIndex(folder)
  await before.add(project, [toUnit(0, 'word')])
  const old = new Date(Date.now() - 3_600_000)
  for (const name of ['half.segment', 'segment.json.draft']) {
    await writeFile(join(folder, project, name), 'half a segment')
    await utimes(join(folder, project, name), old, old)
  }
  const after = await openSegmentIndex(folder)
  expect(await find(after, 'word')).toEqual([0])
  await after.add(project, [toUnit(1, 'word')])
  expect(await find(after, 'word')).toEqual([0, 1])
  expect(await readdir(join(folder, project))).not.toEqual(expect.arrayContaining(['half.segment']))
})

it('does not list other folders as projects', async () => {
  const index = await openSegmentIndex(folder)
  await index.add(project, [toUnit(0, 'word')])
  await mkdir(join(folder, 'lost+found'))
  await writeFile(join(folder, 'notes'), 'mine')
  expect(await index.projects()).toEqual([project])
})

it('keeps few files and frees space, however often pages change', async () => {
  const index = await openSegmentIndex(folder)
  for (let version = 1; version <= 120; version++) {
    await index.add(project, [toUnit(0, `word w${version}`, { version })])
    await index.remove(project, [{ page: toUnit(0, '').page, version: version - 1 }])
  }
  expect(await find(index, 'w120')).toEqual([0])
  expect(await find(index, 'w119')).toEqual([])
  const segments = (await readdir(join(folder, project))).filter((name) => name.endsWith('.segment'))
  expect(segments.length).toBeLessThan(12)
})
