// Extraction accepts any text: it never throws, and its time is linear in the page's length.
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { extract } from './extract.ts'
import type { ExtractedPage } from './page.ts'

const url = 'https://docs.example.org/a/b.html'

function expectWellFormed(page: ExtractedPage): void {
  // One expectation for all: a hundred thousand of them take longer than the extraction.
  const faults: string[] = []
  const check = (holds: boolean, text: string) => void (holds || faults.push(text))
  const texts = [
    page.title,
    ...page.keywords,
    ...page.sections.flatMap(({ heading, path }) => [heading, ...path]),
  ]
  for (const text of texts) check(text === text.replace(/\s+/g, ' ').trim(), text)
  for (const { blocks, heading, anchor } of page.sections) {
    check((heading !== '' || blocks.length > 0) && anchor !== '', `${anchor} ${heading}`)
    for (const { kind, text } of blocks) {
      check(text.trim() !== '' && text.isWellFormed() && !text.includes('\0'), text)
      if (kind === 'paragraph') check(!text.includes('\n'), text)
      if (kind === 'list') for (const line of text.split('\n')) check(line.startsWith('- '), line)
    }
  }
  for (const link of page.links) check(/^https?:[^#]*$/.test(link), link)
  expect(faults).toEqual([])
  expect(new Set(page.links).size).toBe(page.links.length)
  expect(page.boost).toBeGreaterThanOrEqual(0.1)
  expect(structuredClone(page)).toEqual(page)
}

const tags = [
  'div',
  'p',
  'h1',
  'h2',
  'h3',
  'ul',
  'li',
  'dl',
  'dt',
  'dd',
  'table',
  'tr',
  'td',
  'pre',
  'a',
  'span',
]
const piece = fc.oneof(
  fc.constantFrom(...tags.flatMap((tag) => [`<${tag}>`, `</${tag}>`, `<${tag} id="x-${tag}">`])),
  fc.constantFrom(
    '<br>',
    '<!--',
    '-->',
    '<script>',
    '</script>',
    '\0',
    '\ud800',
    '&nbsp;',
    '&#0;',
    '&#xd800;',
    '<a href="x?y#z">',
  ),
  fc.string({ unit: 'grapheme' }),
)

test('makes a well-formed page of any string', () => {
  fc.assert(fc.property(fc.string({ unit: 'binary' }), (html) => expectWellFormed(extract(html, url))))
})

test('makes a well-formed page of any mixture of tags', () => {
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 60, size: 'max' }), (pieces) =>
      expectWellFormed(extract(pieces.join(''), url)),
    ),
    { numRuns: 500 },
  )
})

test('keeps code verbatim, wherever it is and however it is highlighted', () => {
  const around = [
    '<p>',
    '<ul><li>',
    '<table><tr><td>',
    '<dl><dt id="x">t<dd>',
    '<div class="highlight"><div>',
    '',
  ]
  const line = fc.string({ unit: 'grapheme-ascii' })
  fc.assert(
    fc.property(fc.constantFrom(...around), fc.array(line, { minLength: 1 }), (open, lines) => {
      // Blank lines at the start and end are not kept.
      const code = lines
        .join('\n')
        .replace(/^(?: *\n)+/, '')
        .replace(/(?:\n\s*)+$/, '')
      fc.pre(code.trim() !== '')
      const escaped = code.replaceAll('&', '&amp;').replaceAll('<', '&lt;')
      const coloured = escaped.replace(/\w+/g, (word) =>
        word.length > 3 ? `<span class="k">${word}</span>` : word,
      )
      const html = `<body><h1>T</h1>${open}text<pre>\n<code>${coloured}\n</code></pre>`
      fc.pre(!/&\w*<span/.test(coloured))
      const found = extract(html, url).sections.flatMap(({ blocks }) =>
        blocks.filter(({ kind }) => kind === 'code'),
      )
      expect(found.map(({ text }) => text)).toEqual([code])
    }),
    { numRuns: 500 },
  )
})

const many = 30_000
/** Microseconds of processor time to extract a page. The slowest takes a quarter of it. */
const limit = 2_700_000
const hostile: [string, string][] = [
  ['deep nesting', '<div>'.repeat(many)],
  ['deep nesting, closed', `${'<div>'.repeat(many)}end${'</div>'.repeat(many)}`],
  ['unclosed inline tags', '<b><i>x'.repeat(many)],
  ['closing tags of what is not open', `${'<b>'.repeat(many)}${'</i>'.repeat(many)}`],
  ['nested lists', '<ul><li>x'.repeat(many)],
  ['nested tables', '<table><tr><td>x'.repeat(many)],
  [
    'nested rows with an anchor',
    `${'<table><tr><td id=x>1'.repeat(60)}${'1 '.repeat(2_000_000)}${'<td>2</table>'.repeat(60)}`,
  ],
  ['nested definitions', '<dl><dt id="a">x<dd>'.repeat(many)],
  ['descriptions', `<dl>${'<dt>a<dd>b'.repeat(many)}`],
  ['overloads', `<dl>${Array.from({ length: many }, (_, at) => `<dt id=f${at}>f(${at})<dd>x`).join('')}`],
  ['a definition of many names', `<dl>${'<dt id=a>a'.repeat(many)}<dd>${'<p>x'.repeat(many / 50)}`],
  ['overloads of much text', `<dl><dt id=f>f(0)<dd>x<dt id=g>f(1)<dd>${'<p>x'.repeat(2 * many)}`],
  ['nested summaries', '<details><summary>x'.repeat(many)],
  ['hidden all the way', '<div hidden><nav>'.repeat(many)],
  ['a huge attribute', `<p title="${'x'.repeat(5_000_000)}">end`],
  ['many attributes', `<p ${Array.from({ length: many }, (_, at) => `a${at}=1`).join(' ')}>end`],
  ['many classes', Array.from({ length: many }, (_, at) => `<i class="c${at}">x</i>`).join('')],
  ['text only', 'word '.repeat(1_000_000)],
  ['null bytes', '<p>a\0b'.repeat(many)],
  ['brackets', '<'.repeat(1_000_000)],
  ['comments', '<!--'.repeat(many)],
  ['entities', '&amp;&#x3c;&nope;'.repeat(many)],
  ['headings', Array.from({ length: many }, (_, at) => `<h${(at % 6) + 1}>x`).join('')],
  ['links', Array.from({ length: many }, (_, at) => `<a href="p${at}">x</a>`).join('')],
  ['white space', `<p>${' \n\t'.repeat(1_000_000)}<title>${' '.repeat(1_000_000)}`],
]

test.each(hostile)('%s', (_, html) => {
  const before = process.cpuUsage()
  const page = extract(html, url)
  expect(process.cpuUsage(before).user).toBeLessThan(limit)
  expectWellFormed(page)
})

test('keeps text below the deepest level', () => {
  const { sections } = extract(`<body>${'<div>'.repeat(3000)}deep<p>end`, url)
  expect(sections[0]?.blocks.map(({ text }) => text).join(' ')).toContain('deep')
})
