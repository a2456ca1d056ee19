// Part of `npm run check`: refuses circles of folders, which the linter, that sees files, does not.
import { globSync, readFileSync } from 'node:fs'
import { circularImports, importsOf } from './folders.ts'

const parts = '{app,cli,crawler,gateway,services,sources,workflows}'
const files = globSync(`${parts}/**/*.ts`).filter((path) => !path.endsWith('.test.ts'))
const found = circularImports(files.flatMap((path) => importsOf(path, readFileSync(path, 'utf8'))))

for (const { from, to } of found) console.error(`${from} imports ${to}, whose folder needs this one`)
if (found.length > 0) process.exitCode = 1
