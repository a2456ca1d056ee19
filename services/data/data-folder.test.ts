// Only the owner may read the data folder.
import { mkdirSync, statSync, writeFileSync } from 'node:fs'
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

it('creates folders and files that only the owner can read', () => {
  const data = join(folder, 'a', 'b')
  const lock = lockDataFolder(data)
  mkdirSync(join(data, 'index'))
  writeFileSync(join(data, 'lectern.db'), '')
  expect(modeOf(data)).toBe(0o700)
  expect(modeOf(join(data, 'index'))).toBe(0o700)
  for (const name of ['lock', 'running', 'lectern.db']) expect(modeOf(join(data, name))).toBe(0o600)
  lock.release()
})
