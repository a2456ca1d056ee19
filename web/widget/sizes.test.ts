// The bytes that a reader transfers, compressed with gzip -9. `npm run bench -- widget` measures the same in Chromium.
import { readFileSync } from 'node:fs'
import { gzipSync } from 'node:zlib'
import { expect, test } from 'vitest'

const dist = new URL('../dist/', import.meta.url)
const read = (path: string) => readFileSync(new URL(path, dist))
const bundles: Record<string, string> = JSON.parse(read('manifest.json').toString())
const size = (path: string) => gzipSync(read(path), { level: 9 }).length

/** Returns bundles and their static imports, recursively. */
function readChunks(names: string[]): Set<string> {
  const all = new Set(names)
  for (const name of all) {
    const imports = read(`assets/${name}`)
      .toString()
      .matchAll(/(?:from|import)"\.\/([\w-]+\.js)"/g)
    for (const [, chunk] of imports) all.add(chunk!)
  }
  return all
}

const sum = (names: Set<string>) => [...names].reduce((total, name) => total + size(`assets/${name}`), 0)
const search = bundles['search.js']!
const ask = bundles['ask.js']!

test.each([
  ['the loader', new Set<string>(), 6_000],
  ['the loader and search', readChunks([search]), 20_000],
  ['everything', readChunks([search, ask]), 48_000],
])('%s is small', (_, names, max) => {
  expect(size('widget.js') + sum(names)).toBeLessThanOrEqual(max)
})

test('search does not import ask', () => {
  expect([...readChunks([search])].map((name) => read(`assets/${name}`).toString()).join('')).not.toContain(
    'ws/messages',
  )
})
