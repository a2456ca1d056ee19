// Protections of the product, read from the *.txt files here. Each paragraph is a mutation: its name and file, the
// removed lines (-), the lines that replace them (+), and the tests that must then fail (>).
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

export interface Mutation {
  name: string
  file: string
  /** Occurs in the file exactly once. */
  search: string
  replacement: string
  /** Test files, run together. */
  tests: string[]
  /** Part of the full name of a test that must fail. */
  expected: string
}

export const mutations: Mutation[] = globSync('*.txt', { cwd: import.meta.dirname })
  .sort()
  .flatMap((file) => {
    const [, ...paragraphs] = readFileSync(join(import.meta.dirname, file), 'utf8')
      .trimEnd()
      .split('\n\n')
    return paragraphs.map(readMutation)
  })

function readMutation(paragraph: string): Mutation {
  const [title, ...lines] = paragraph.split('\n')
  const [name, file] = title!.split(' ')
  const linesOf = (sign: string) => lines.filter((line) => line.startsWith(sign)).map((line) => line.slice(2))
  const tests = linesOf('>')
  const [last, ...expected] = tests.pop()!.split(': ')
  return {
    ...{ name: name!, file: file!, tests: [...tests, last!], expected: expected.join(': ') },
    ...{ search: linesOf('-').join('\n'), replacement: linesOf('+').join('\n') },
  }
}
