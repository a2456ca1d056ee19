// Part of `npm run check`: rejects names with the old prefixes, mentions of files that are not in the repository, and property
// tests whose inputs are shorter than declared.

import { execFileSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { missingFiles, oldNames, unsizedLengths } from './words.ts'

/** Files outside of the repository that may be mentioned. */
const elsewhere = [
  // Written by commands that the manual shows.
  'answer.md',
  'run.json',
  // Part of a downloaded model.
  'all-minilm-l6-v2/tokenizer.json',
  // Settings of other programs, in folders of their users.
  '.mcp.json',
  '.cursor/mcp.json',
  '.vscode/mcp.json',
  '.vitepress/config.mjs',
  // Written into the image.
  'sbom.json',
  // Written by the benchmarks.
  'results/{name}.json',
  // In repositories that are read as sources.
  'docs.json',
  'mint.json',
  'navigation.json',
]

const git = (...args: string[]): string[] =>
  execFileSync('git', ['ls-files', '-z', '--cached', '--others', '--exclude-standard', ...args], {
    encoding: 'utf8',
  })
    .split('\0')
    .filter((path) => path && existsSync(path))

const files = git()
const read = git(
  '*.ts',
  '*.js',
  '*.mjs',
  '*.proto',
  '*.md',
  '*.yml',
  '*.sh',
  'Dockerfile',
  '.ci/run',
  '.env.example',
).filter((path) => !/^(gen|web\/vendor|proto\/vendor|test\/fixtures|test\/words)\//.test(path))
const findings = read.flatMap((path) => {
  const text = readFileSync(path, 'utf8')
  return [
    ...oldNames(path, text),
    ...missingFiles(path, text, files, elsewhere),
    ...unsizedLengths(path, text),
  ]
})

for (const { path, line, says } of findings) console.error(`${path}:${line} ${says}`)
if (findings.length > 0) process.exitCode = 1
