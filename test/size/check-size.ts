// Part of `npm run check`: prints lines and files of each top folder with the stored maximum, and fails above it.
// Counts hand-written `*.ts` without tests. `node test/size/check-size.ts --lower` stores a reduction:
// it lowers maxima and never raises one.
import { execFileSync } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'

interface Size {
  lines: number
  files: number
}

const maxima = new URL('./maxima.json', import.meta.url)
const stored: Record<string, Size> = JSON.parse(readFileSync(maxima, 'utf8'))
const folders = Object.keys(stored)
const measured: Record<string, Size> = Object.fromEntries(
  folders.map((folder) => [folder, { lines: 0, files: 0 }]),
)
const paths = execFileSync(
  'git',
  ['ls-files', '-co', '--exclude-standard', '--deduplicate', '-z', ...folders],
  {
    encoding: 'utf8',
  },
)
for (const path of paths.split('\0')) {
  if (!path.endsWith('.ts') || path.endsWith('.test.ts')) continue
  const text = readIfPresent(path)
  if (text === null) continue
  const size = measured[path.split('/')[0]!]!
  size.lines += text.split('\n').length - 1
  size.files++
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
