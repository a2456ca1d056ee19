import { basename } from 'node:path'
import { beforeEach, expect, it, vi } from 'vitest'
import { project, toUnit } from '../../../test/contract/search-index.suite.ts'
import { createFolder } from '../../../test/folder.ts'
import { openSegmentIndex } from './segment-index.ts'

const noted = vi.hoisted(() => [] as string[])
const names = vi.hoisted(() => new Map<number, string>())

vi.mock('node:fs', async (original) => {
  const fs = await original<typeof import('node:fs')>()
  const kindOf = (path: string) =>
    basename(path)
      .replace(/^[\da-f-]{36}(?=\.)/, '*')
      .replace(/-.*/, '')
  return {
    ...fs,
    openSync(path: string, ...rest: [string]) {
      const file = fs.openSync(path, ...rest)
      names.set(file, kindOf(path))
      return file
    },
    writeSync(file: number, ...rest: [Uint8Array]) {
      noted.push(`write ${names.get(file)}`)
      return fs.writeSync(file, ...rest)
    },
    fdatasyncSync(file: number) {
      noted.push(`flush ${names.get(file)}`)
      fs.fdatasyncSync(file)
    },
    writeFileSync(path: string, text: string, options: { flush: boolean }) {
      noted.push(`write ${kindOf(path)}`, ...(options.flush ? [`flush ${kindOf(path)}`] : []))
      fs.writeFileSync(path, text, options)
    },
    renameSync(from: string, to: string) {
      noted.push(`rename ${kindOf(from)} ${kindOf(to)}`)
      fs.renameSync(from, to)
    },
    rmSync(path: string, options: object) {
      noted.push(`remove ${kindOf(path)}`)
      fs.rmSync(path, options)
    },
  }
})

/** A file is complete on disk before it is renamed. Files that it replaces are deleted after that. */
const addedFile = (kind: 'segment' | 'vectors') => [
  `write *.${kind}`,
  `flush *.${kind}`,
  `write ${kind}.json.draft`,
  `flush ${kind}.json.draft`,
  `rename ${kind}.json.draft ${kind}.json`,
]

let folder: string
beforeEach(async () => {
  folder = createFolder()
})

/** Returns the calls during `work`. */
async function callsOf(work: () => Promise<void>): Promise<string[]> {
  noted.length = 0
  await work()
  return [...noted]
}

it('renames a segment once it is on disk, and deletes replaced segments after that', async () => {
  const index = await openSegmentIndex(folder)
  for (const ordinal of [0, 1]) {
    expect(await callsOf(() => index.add(project, [toUnit(ordinal, 'word')]))).toEqual(addedFile('segment'))
  }
  expect(await callsOf(() => index.optimize(project))).toEqual([
    ...addedFile('segment'),
    'remove *.segment',
    'remove *.segment',
  ])
  await index.close()
})

it('renames vectors once they are on disk', async () => {
  const index = await openSegmentIndex(folder)
  await index.add(project, [toUnit(0, 'word')])
  const vectors = [{ unit: toUnit(0, 'word').id, vector: Float32Array.of(1, 0) }]
  expect(await callsOf(() => index.setVectors(project, 'model', vectors))).toEqual(addedFile('vectors'))
  await index.close()
})
