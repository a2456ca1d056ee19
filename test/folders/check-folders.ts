// Part of `npm run check`: rejects circles of folders, which the linter cannot see, since it checks single files.
import { globSync, readFileSync } from 'node:fs'
import { circularImports, importsOf } from './folders.ts'

const parts = '{app,cli,crawler,gateway,services,sources,workflows}'
const files = globSync(`${parts}/**/*.ts`).filter((path) => !path.endsWith('.test.ts'))
const found = circularImports(files.flatMap((path) => importsOf(path, readFileSync(path, 'utf8'))))

for (const { from, to } of found) console.error(`${from} imports ${to}, whose folder needs this one`)
if (found.length > 0) process.exitCode = 1
