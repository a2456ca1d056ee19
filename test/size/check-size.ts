// Part of `npm run check`: prints lines and files of each top folder with the stored maximum, and fails above it.
// Counts hand-written `*.ts` without tests. Also prints those of tests and fixtures, which have no maximum.
// `node test/size/check-size.ts --lower` stores a reduction: it lowers maxima and never raises one.
import { execFileSync } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'

interface Size {
  lines: number
  files: number
}

const maxima = new URL('./maxima.json', import.meta.url)
const stored: Record<string, Size> = JSON.parse(readFileSync(maxima, 'utf8'))
const folders = Object.keys(stored)
const fixtures = 'test/fixtures'
const paths = execFileSync('git', ['ls-files', '-co', '--exclude-standard', '--deduplicate', '-z'], {
  encoding: 'utf8',
}).split('\0')
const isTest = (path: string) => path.endsWith('.test.ts') || /^test\/.*\.ts$/.test(path)
const isIn = (folder: string, path: string) => path.startsWith(`${folder}/`)
const measured: Record<string, Size> = Object.fromEntries(
  folders.map((folder) => [
    folder,
    measure(paths.filter((path) => isIn(folder, path) && path.endsWith('.ts') && !isTest(path))),
  ]),
)

function measure(paths: string[]): Size {
  const texts = paths.map(readIfPresent).filter((text) => text !== null)
  return { lines: texts.reduce((sum, text) => sum + text.split('\n').length - 1, 0), files: texts.length }
}

/** Null for a file that git lists, but that has been deleted since. */
function readIfPresent(path: string): string | null {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    return null
  }
}

function total(sizes: Record<string, Size>): Size {
  const all = Object.values(sizes)
  return {
    lines: all.reduce((sum, { lines }) => sum + lines, 0),
    files: all.reduce((sum, { files }) => sum + files, 0),
  }
}

const row = (name: string, { lines, files }: Size, max: Size) =>
  `${name.padEnd(10)} ${lines} of ${max.lines} lines, ${files} of ${max.files} files`

for (const folder of folders) console.log(row(folder, measured[folder]!, stored[folder]!))
console.log(row('total', total(measured), total(stored)))
for (const [name, { lines, files }] of [
  ['tests', measure(paths.filter((path) => isTest(path) && !isIn(fixtures, path)))],
  ['fixtures', measure(paths.filter((path) => isIn(fixtures, path)))],
] as const)
  console.log(`${name.padEnd(10)} ${lines} lines, ${files} files`)

if (process.argv.includes('--lower')) {
  for (const folder of folders) {
    const { lines, files } = measured[folder]!
    const max = stored[folder]!
    stored[folder] = { lines: Math.min(max.lines, lines), files: Math.min(max.files, files) }
  }
  writeFileSync(maxima, `${JSON.stringify(stored, null, 2)}\n`)
}
for (const folder of folders) {
  const { lines, files } = measured[folder]!
  const max = stored[folder]!
  if (lines <= max.lines && files <= max.files) continue
  console.error(
    `${folder} is larger than test/size/maxima.json allows: reduce it, or fold code elsewhere first`,
  )
  process.exitCode = 1
}
