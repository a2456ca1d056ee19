import { globSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { expect, test } from 'vitest'

/** Reads every manual except the sealed ones, as documented there. */
const readsAll = 'answers/fit-evidence.ts'
const files = globSync('**/*.ts', { cwd: import.meta.dirname }).filter((path) => !path.endsWith('.test.ts'))
const fits = files.filter((path) => /(?:^|\/)fit[^/]*\.ts$/u.test(path))

test.each(fits.filter((path) => path !== readsAll))('%s reads no closed manual', (path) => {
  expect(read(path).match(/judgedManuals\([^)]*\)/g)).toEqual(['judgedManuals(false)'])
})

test('the thresholds of the citation check are fitted without closed manuals', () => {
  const source = read('check/check.ts')
  const fit = source.slice(source.indexOf('function fitCheck'), source.indexOf('function judgeAll'))
  expect(fit.match(/judgeAll\([^)]*\)/g)).toEqual(['judgeAll(false)'])
})

test.each([...fits, 'check/check.ts'])('%s cannot read a sealed manual', (path) => {
  expect([...collectImports(path)]).not.toContain('manuals/sealed.ts')
})

test('only one module reads sealed labels, for the benchmarks of questions, answers and excerpts', () => {
  expect(files.filter((path) => read(path).includes('sealed.json`'))).toEqual(['manuals/sealed.ts'])
  const importers = files.filter((path) => importsOf(path).includes('manuals/sealed.ts'))
  expect(importers.toSorted()).toEqual([
    'answers/answers.ts',
    'answers/excerpts.ts',
    'questions/questions.ts',
    'seal.ts',
  ])
})

function collectImports(path: string, found = new Set<string>()): Set<string> {
  if (found.has(path)) return found
  found.add(path)
  for (const imported of importsOf(path)) collectImports(imported, found)
  return found
}

/** Of the benchmarks' own files. */
function importsOf(path: string): string[] {
  return [...read(path).matchAll(/(?:from |import\()'(\.[^']+\.ts)'/gu)]
    .map(([, target]) => join(dirname(path), target!))
    .filter((target) => files.includes(target))
}

function read(path: string): string {
  return readFileSync(join(import.meta.dirname, path), 'utf8')
}
