// Limits of names, which are part of every section below them.
import { expect, test } from 'vitest'
import { extract } from './extract.ts'

const url = 'https://docs.example.org/a/b.html'
const long = 'word '.repeat(1_000).trim()

test('limits the length of a title, a heading and a signature', () => {
  expect(extract(`<title>${long}</title><p>a`, url).title).toHaveLength(299)
  const signature = extract(`<dl><dt id=a>${long}<dd>text`, url).sections[0]!.heading
  expect(signature.length).toBeGreaterThan(490)
  expect(signature.length).toBeLessThanOrEqual(500)
})

test('reads a heading of more than 200 characters as a paragraph', () => {
  const heading = (length: number) => `${'word '.repeat(39)}${'x'.repeat(length - 195)}`
  const { title, sections } = extract(
    `<title>T</title><h1>${heading(201)}</h1><h2>${heading(200)}</h2><p>a<h3>Last</h3><p>b`,
    url,
  )
  expect(title).toBe('T')
  expect(sections.map((section) => [section.heading, section.path.length, section.blocks.length])).toEqual([
    ['', 0, 1],
    [heading(200), 0, 1],
    ['Last', 1, 1],
  ])
})

test('ignores an anchor or a version that is too long', () => {
  const page = extract(
    `<meta name=version content="${long}"><h2 id=${'a'.repeat(501)}>One</h2><h2 id=${'a'.repeat(500)}>Two</h2>`,
    url,
  )
  expect(page.version).toBeNull()
  expect(page.sections.map(({ anchor }) => anchor?.length ?? null)).toEqual([null, 500])
})

test('reads at most 50 keywords, and 1,000 characters of them', () => {
  const keywordsOf = (content: string) =>
    extract(`<meta name=keywords content="${content}"><p>a`, url).keywords
  expect(keywordsOf(Array.from({ length: 60 }, (_, at) => `k${at}`).join())).toHaveLength(50)
  expect(keywordsOf(`${'a'.repeat(600)}, ${'b'.repeat(400)}, c`)).toEqual(['a'.repeat(600), 'b'.repeat(400)])
})

test('keeps at most 8 headings above a section, the nearest ones', () => {
  const html = Array.from({ length: 20 }, (_, at) => `<dl><dt id=a${at}>D${at}<dd>text`).join('')
  expect(extract(html, url).sections.at(-1)!.path).toEqual(
    Array.from({ length: 8 }, (_, at) => `D${at + 11}`),
  )
})

test('joins up to 50 overloads of one name, each with its text', () => {
  const html = Array.from({ length: 120 }, (_, at) => `<dt id=f${at}>f(${at})<dd>text ${at}`).join('')
  const { sections } = extract(`<dl>${html}</dl>`, url)
  expect(sections.map(({ heading, also }) => [heading, also?.length])).toEqual([
    ['f(0)', 49],
    ['f(50)', 49],
    ['f(100)', 19],
  ])
  expect(sections.map(({ blocks }) => [blocks.length, blocks[0]?.text, blocks.at(-1)?.text])).toEqual([
    [99, 'text 0', 'text 49'],
    [99, 'text 50', 'text 99'],
    [39, 'text 100', 'text 119'],
  ])
})

test('adds the text of an overload to the last section of a split definition', () => {
  const names = Array.from({ length: 60 }, (_, at) => `<dt id=f${at}>f(${at})`).join('')
  const { sections } = extract(`<dl>${names}<dd>one<dt id=g>f(a, b)<dd>two</dl>`, url)
  expect(sections.map(({ also, blocks }) => [also?.length, blocks.map(({ text }) => text)])).toEqual([
    [49, ['one']],
    [10, ['one', 'f(a, b)', 'two']],
  ])
})

test('gives the text of a definition to its first 500 names, and keeps the others without it', () => {
  const names = Array.from({ length: 1_000 }, (_, at) => `<dt id=n${at}>n${at}`).join('')
  const { sections } = extract(`<dl>${names}<dd>one</dl>`, url)
  expect(sections.flatMap(({ heading, also = [] }) => [heading, ...also])).toHaveLength(1_000)
  const withText = sections.filter(({ blocks }) => blocks.length > 0)
  expect(withText.flatMap(({ heading, also = [] }) => [heading, ...also])).toHaveLength(500)
})

test('reads links within the memory limit of a run: every one of a list, few with a long base', () => {
  const entries = Array.from({ length: 10_000 }, (_, at) => `<li><a href="page${at}.html">Page ${at}</a>`)
  expect(extract(entries.join(''), url).links).toHaveLength(10_000)
  const short = Array.from({ length: 10_000 }, (_, at) => `<a href=${at}>`).join('')
  const html = `<base href="https://docs.example.org/${'d'.repeat(80)}/">${short}`
  const { links } = extract(html, url)
  const bytes = links.reduce((sum, link) => sum + 250 + 7.5 * link.length, 0)
  expect(bytes).toBeGreaterThan(2_000_000)
  expect(bytes).toBeLessThanOrEqual(500_000 + 19 * html.length)
})
