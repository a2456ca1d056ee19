import { globSync, readFileSync } from 'node:fs'
import { expect, test } from 'vitest'

/** Reads every manual, and says so. */
const readsAll = 'answers/fit-evidence.ts'
const files = globSync('**/fit*.ts', { cwd: import.meta.dirname }).filter(
  (path) => !path.endsWith('.test.ts'),
)

test.each(files.filter((path) => path !== readsAll))('%s reads no closed manual', (path) => {
  const source = readFileSync(`${import.meta.dirname}/${path}`, 'utf8')
  expect(source.match(/judgedManuals\([^)]*\)/g)).toEqual(['judgedManuals(false)'])
})

test('the thresholds of the citation check are fitted to no closed manual', () => {
  const source = readFileSync(`${import.meta.dirname}/check/check.ts`, 'utf8')
  const fit = source.slice(source.indexOf('function fitCheck'), source.indexOf('function judgeAll'))
  expect(fit.match(/judgeAll\([^)]*\)/g)).toEqual(['judgeAll(false)'])
})
