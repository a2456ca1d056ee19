// The tests named in each row of checklist.md exist.
import { readFileSync } from 'node:fs'
import { expect, it } from 'vitest'

const root = new URL('../../', import.meta.url)
const rows = readFileSync(new URL('checklist.md', import.meta.url), 'utf8')
  .split('\n')
  .filter((line) => line.startsWith('| ') && line !== '| Promise | Test |')
  .map((line) => line.slice(2, -2).split(' | ') as [string, string])

/** Every quoted string in the file. */
function textsOf(file: string): Set<string> {
  const source = readFileSync(new URL(file, root), 'utf8')
  const quoted = source.matchAll(/(['"`])((?:\\.|(?!\1)[^\n])*)\1/g)
  return new Set([...quoted].map(([, , text]) => text!))
}

it('has rows', () => {
  expect(rows.length).toBeGreaterThan(150)
  expect(new Set(rows.map(([what]) => what)).size).toBe(rows.length)
})

it.each(rows)('%s', (_what, tests) => {
  const named = tests
    .split('<br>')
    .map((each) => /^`([\w./-]+\.(?:test|suite)\.ts)`: (.+)$/.exec(each)?.slice(1) ?? [each])
  for (const [file, title] of named) {
    expect(title, `${file} names no test`).toBeDefined()
    expect(textsOf(file!).has(title!), `${file} has no test: ${title}`).toBe(true)
  }
})
