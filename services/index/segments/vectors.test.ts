import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { beforeEach, expect, it } from 'vitest'
import { project, toUnit } from '../../../test/contract/search-index.suite.ts'
import { createFolder } from '../../../test/folder.ts'
import type { SearchIndex } from '../search-index.ts'
import { openSegmentIndex } from './segment-index.ts'

const model = 'm'
const toVector = (angle: number) => Float32Array.of(Math.cos(angle), Math.sin(angle), 0, 0)
const find = async (index: SearchIndex, angle: number, limit = 3) =>
  (await index.findByVector(project, { model, vector: toVector(angle), limit })).map(
    ({ unit }) => unit.ordinal,
  )
const toUnits = (from: number, to: number) =>
  Array.from({ length: to - from }, (_, at) => toUnit(from + at, `word w${from + at}`))
const toVectors = (from: number, to: number) =>
  toUnits(from, to).map(({ id, ordinal }) => ({ unit: id, vector: toVector(ordinal / 20) }))

let folder: string
beforeEach(async () => {
  folder = createFolder()
})

const filesOf = async () => (await readdir(join(folder, project))).filter((name) => name.endsWith('.vectors'))

it('several handles on one folder see at once what another sets, while a third adds and merges', async () => {
  const [embedder, syncer, reader] = await Promise.all([1, 2, 3].map(() => openSegmentIndex(folder)))
  for (let from = 0; from < 120; from += 4) {
    await syncer!.add(project, toUnits(from, from + 4))
    await embedder!.setVectors(project, model, toVectors(from, from + 4))
    expect(await find(reader!, (from + 3) / 20, 1)).toEqual([from + 3])
  }
  await syncer!.optimize(project)
  expect(await find(reader!, 50.1 / 20)).toEqual([50, 51, 49])
  expect((await reader!.unembedded(project, model, 5)).waiting).toBe(0)
})

it('keeps few files, and frees the space of changed pages', async () => {
  const index = await openSegmentIndex(folder)
  for (let version = 1; version <= 100; version++) {
    const unit = toUnit(0, 'word', { version })
    await index.add(project, [unit])
    await index.setVectors(project, model, [{ unit: unit.id, vector: toVector(version / 100) }])
    await index.remove(project, [{ page: unit.page, version: version - 1 }])
  }
  expect(await find(index, 0)).toEqual([0])
  expect((await filesOf()).length).toBeLessThan(8)
})

it('deletes the files of a replaced model', async () => {
  const index = await openSegmentIndex(folder)
  await index.add(project, toUnits(0, 4))
  await index.setVectors(project, model, toVectors(0, 4))
  await index.keepVectors(project, 'other')
  expect(await filesOf()).toEqual([])
})
