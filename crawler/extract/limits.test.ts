// Names stand in every section below them: they have a length.
import { expect, test } from 'vitest'
import { extract } from './extract.ts'
import { extractMarkdown } from './plain-text.ts'

const url = 'https://docs.example.org/a/b.html'
const long = 'word '.repeat(1_000).trim()

test('title, headings and the headings above have a length', () => {
  const page = extract(`<title>T</title><h1>${long}</h1><h2>${long}</h2><p>a<h3>Last</h3><p>b`, url)
  expect(page.title.length).toBeGreaterThan(290)
  expect(page.title.length).toBeLessThanOrEqual(300)
  for (const { heading, path } of page.sections)
    for (const name of [heading, ...path]) expect(name.length).toBeLessThanOrEqual(500)
  expect(page.sections.at(-1)!.path[0]).toMatch(/^word word/)
  expect(extractMarkdown(`# ${long}`, url).title.length).toBeLessThanOrEqual(300)
  expect(extract(`<title>${long}</title><p>a`, url).title.length).toBeLessThanOrEqual(300)
})

test('an anchor or a version that is too long is none', () => {
  const page = extract(
    `<meta name=version content="${long}"><h2 id=${'a'.repeat(501)}>One</h2><h2 id=${'a'.repeat(500)}>Two</h2>`,
    url,
  )
  expect(page.version).toBeNull()
  expect(page.sections.map(({ anchor }) => anchor?.length ?? null)).toEqual([null, 500])
})

test('keywords are at most 50, and 1,000 characters together', () => {
  const keywordsOf = (content: string) =>
    extract(`<meta name=keywords content="${content}"><p>a`, url).keywords
  expect(keywordsOf(Array.from({ length: 60 }, (_, at) => `k${at}`).join())).toHaveLength(50)
  expect(keywordsOf(`${'a'.repeat(600)}, ${'b'.repeat(400)}, c`)).toEqual(['a'.repeat(600), 'b'.repeat(400)])
})

test('a section has at most 8 headings above it, the nearest ones', () => {
  const html = Array.from({ length: 20 }, (_, at) => `<dl><dt id=a${at}>D${at}<dd>text`).join('')
  expect(extract(html, url).sections.at(-1)!.path).toEqual(
    Array.from({ length: 8 }, (_, at) => `D${at + 11}`),
  )
})
