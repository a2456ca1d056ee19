import { describe, expect, it } from 'vitest'
import { missingFiles, oldNames, unsizedLengths } from './words.ts'

const files = [
  'README.md',
  'services/chat/turn.ts',
  'services/answer/turn.ts',
  'web/components/turn.ts',
  'test/bench/site/manuals.ts',
]
const missing = (path: string, text: string): string[] =>
  missingFiles(path, text, files, ['run.json']).map(({ line, says }) => `${line} ${says.split(' ')[0]}`)

describe('names', () => {
  it.each([
    ['most', 'const mostTries = 3'],
    ['longest', 'const longestUrl = 3'],
    ['greatest', 'const greatestBody = 3'],
    ['least', 'const leastLength = 3'],
    ['fewest', 'const fewestHits = 3'],
    ['usual', 'const usualResults = 3'],
    ['patience', 'const patienceMs = 3'],
  ])('rejects the prefix %s', (_, text) => {
    expect(oldNames('crawler/fetch.ts', `// A line.\n${text}`)).toMatchObject([
      { path: 'crawler/fetch.ts', line: 2 },
    ])
  })

  it('accepts other words', () => {
    expect(
      oldNames('a.ts', 'const maxTries = almostAll + mostly + atLeastOne // the most that is usual'),
    ).toEqual([])
  })

  it('checks source code only', () => {
    expect(oldNames('manual/index.md', 'mostTries')).toEqual([])
  })
})

describe('mentions of files', () => {
  it.each([
    ['a document that is not here', 'a.ts', '// See (decisions.md section 5).', ['1 decisions.md']],
    ['a source that is not here', 'a.ts', 'const a = 1 // as in chat/turns.ts', ['1 chat/turns.ts']],
    ['a block of comments', 'a.ts', '/**\n * Rows of rows.ts.\n */\nconst a = 1', ['2 rows.ts']],
    ['a comment after an address', 'a.ts', "get('http://host/x.json') // as rows.ts", ['1 rows.ts']],
    ['a document', 'manual/index.md', 'See [keys](keys.md#make).', ['1 keys.md']],
    [
      'a wrong way to a file that is here',
      'manual/index.md',
      '[a](../readme/README.md)',
      ['1 ../readme/README.md'],
    ],
    ['a pattern that matches nothing', 'a.ts', '// what *.suite.ts says', ['1 *.suite.ts']],
  ])('rejects %s', (_, path, text, found) => {
    expect(missing(path, text)).toEqual(found)
  })

  it.each([
    ['a path from the top', 'a.ts', '// as services/chat/turn.ts does'],
    ['a name', 'a.ts', '// turn.ts sends it.'],
    ['the end of a path', 'a.ts', '// chat/turn.ts sends it'],
    ['a way from the file', 'manual/index.md', '[read](../README.md)'],
    ['a pattern', 'DESIGN.md', '`services/*/turn.ts`, `{chat,answer}/turn.ts`, `<folder>/turn.ts`'],
    ['an address', 'manual/index.md', 'https://host/openapi.json and `/api/v2/openapi.json`'],
    ['what is listed as made elsewhere', 'manual/index.md', '> run.json'],
    ['code', 'a.ts', "import './gone.ts'\nread('gone.json')"],
    ['other endings', 'manual/index.md', 'Node.js, run.jsonl, a.tsx'],
  ])('accepts %s', (_, path, text) => {
    expect(missing(path, text)).toEqual([])
  })
})

describe('lengths of generated inputs', () => {
  const found = (code: string) =>
    unsizedLengths('a.test.ts', `import fc from 'fast-check'\n${code}`).map(({ line }) => line)

  it.each([
    ['a length that is never reached', 'fc.array(x, { maxLength: 11 })', [2]],
    ['one of several lines', 'fc.array(\n  fc.nat(),\n  { minLength: 1,\n  maxLength: 2_000 })', [5]],
    ['one that has a name', 'fc.string({ maxLength: limit })', [2]],
  ])('rejects %s', (_, code, lines) => {
    expect(found(code)).toEqual(lines)
  })

  it.each([
    ['a size next to it', "fc.array(x, { maxLength: 2_000, size: 'max' })"],
    ['a short one', 'fc.array(x, { maxLength: 10 })'],
  ])('accepts %s', (_, code) => {
    expect(found(code)).toEqual([])
  })

  it('checks property tests only', () => {
    expect(unsizedLengths('a.test.ts', '({ maxLength: 500 })')).toEqual([])
  })
})
