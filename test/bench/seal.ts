// `node test/bench/seal.ts ~/valgrind.json`: creates manuals/valgrind/sealed.json from a file of labeled questions that stays outside of
// the repository: `[{"question": "…", "pages": ["page.html#anchor"], "phrases": ["…"]}]`, without pages if the manual does not answer.
import { randomBytes } from 'node:crypto'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { basename } from 'node:path'
import { readTexts, seal, sealedManuals, toSealedPath } from './manuals/sealed.ts'

const path = process.argv[2] ?? ''
const manual = sealedManuals.find(({ name }) => name === basename(path, '.json'))
if (!manual) {
  const names = sealedManuals.map(({ name }) => `${name}.json`)
  console.error(`usage: node test/bench/seal.ts FILE; its name is ${names.join(' or ')}`)
  process.exit(2)
}
const sealed = seal(
  JSON.parse(readFileSync(path, 'utf8')),
  readTexts(manual),
  randomBytes(16).toString('hex'),
)
const target = toSealedPath(manual)
mkdirSync(new URL('.', target), { recursive: true })
writeFileSync(target, `${JSON.stringify(sealed, null, 2)}\n`)
console.log(`${sealed.questions.length} questions sealed; delete ${path}`)
