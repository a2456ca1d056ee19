// The data folder is its owner's alone.
import { chmodSync, mkdirSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeEach, expect, it } from 'vitest'
import { lockDataFolder } from './data-folder.ts'
import { createFolder } from '../../test/folder.ts'

let folder: string
beforeEach(() => {
  process.umask(0o022)
  folder = createFolder()
})

const modeOf = (path: string) => statSync(path).mode & 0o777

it('makes a folder that nobody else looks into, and files that nobody else reads', () => {
  const data = join(folder, 'a', 'b')
  const lock = lockDataFolder(data)
  mkdirSync(join(data, 'index'))
  writeFileSync(join(data, 'lectern.db'), '')
  expect(lock.isOpenToOthers).toBe(false)
  expect(modeOf(data)).toBe(0o700)
  expect(modeOf(join(data, 'index'))).toBe(0o700)
  for (const name of ['lock', 'running', 'lectern.db']) expect(modeOf(join(data, name))).toBe(0o600)
  lock.release()
})

it.each([[[]], [['lectern.db', 'notes']]])('closes a folder of earlier versions that holds %j', (names) => {
  const data = folderWith(names)
  const lock = lockDataFolder(data)
  expect(lock.isOpenToOthers).toBe(false)
  expect(modeOf(data)).toBe(0o700)
  lock.release()
})

it('leaves a folder as it is that holds other things, and tells of it', () => {
  const data = folderWith(['notes'])
  const lock = lockDataFolder(data)
  expect(lock.isOpenToOthers).toBe(true)
  expect(modeOf(data)).toBe(0o755)
  lock.release()
})

function folderWith(names: string[]): string {
  const data = join(folder, 'data')
  mkdirSync(data)
  for (const name of names) writeFileSync(join(data, name), '')
  chmodSync(data, 0o755)
  return data
}
