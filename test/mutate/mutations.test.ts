// Checks the table of mutations: each search text and test file exists. `npm run mutate` runs them.
import { existsSync, readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { mutations } from './mutations.ts'

const root = new URL('../../', import.meta.url)

test.each(mutations)('$name', ({ file, search, replacement, tests }) => {
  const text = readFileSync(new URL(file, root), 'utf8')
  expect(text.split(search).length - 1, `occurrences in ${file}`).toBe(1)
  expect(replacement).not.toBe(search)
  expect(tests.filter((path) => !existsSync(new URL(path, root)))).toEqual([])
})

test('every mutation has a unique name', () => {
  expect(new Set(mutations.map(({ name }) => name)).size).toBe(mutations.length)
})
