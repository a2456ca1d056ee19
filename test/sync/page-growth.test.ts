// For any page, the data folder grows by less than 20 times its bytes plus one megabyte, and so does
// the data sent between threads.
import { readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import iconv from 'iconv-lite'
import { expect, it } from 'vitest'
import { openIndex, openStore } from '../../services/drivers.ts'
import { encodeVocabulary } from '../../services/search/vocabulary.ts'
import { publishPages } from '../../workflows/commit.ts'
import { parsePage } from '../../workflows/parse/parse-page.ts'
import { pageUuid } from '../../workflows/run-control.ts'
import { project, publication } from '../contract/store-case.ts'
import { createFolder } from '../folder.ts'
import { openLab } from './lab.ts'

const times = (count: number, piece: (at: number) => string) =>
  Array.from({ length: count }, (_, at) => piece(at)).join('')
const repeated = (count: number, piece: string) => piece.repeat(count)
/** Words with few repetitions. */
const word = (at: number) => ((at * 2_654_435_761) % 4_294_967_296).toString(36).replace(/\d/g, 'q')
const han = (at: number) =>
  String.fromCharCode(0x4e00 + (Number((BigInt(at) * 2_654_435_761n) >> 7n) % 20_000))
const tiny = '<h2>a<p>b'

const at = (name: string) => `https://docs.example.org/${name}`

/** A data folder with one page, so that its files exist. */
async function openFolder() {
  const data = createFolder()
  const store = await openStore({ data, mongodb: null }, 'work')
  const index = await openIndex({ data })
  await store.projects.insert(project())

  async function publish(name: string, body: Uint8Array, contentType: string) {
    const page = { uuid: pageUuid('p1', at(name)), version: 1, url: at(name), sourceType: 'site' as const }
    const { content, units } = await parsePage({ page, body, contentType, knownHash: null })
    const row = publication(name, { ...page, title: content.title }).page
    const written = { page: row, content, units: units! }
    expect(await publishPages(store, index, 'p1', null, [written])).toEqual(['published'])
    await store.vocabulary.write('p1', encodeVocabulary(await index.vocabulary('p1')))
    return units!
  }
  await publish('start', Buffer.from('<h1>Start</h1>'), 'text/html')

  return {
    publish,
    size() {
      const entries = readdirSync(data, { recursive: true, withFileTypes: true })
      const files = entries.filter((entry) => entry.isFile())
      return files.reduce((sum, { parentPath, name }) => sum + statSync(join(parentPath, name)).size, 0)
    },
    async close() {
      await index.close()
      await store.close()
    },
  }
}

async function expectBounded(page: string | Uint8Array, contentType = 'text/html') {
  const body = typeof page === 'string' ? Buffer.from(page) : page
  const limit = 20 * body.length + 1_000_000
  const folder = await openFolder()
  const before = folder.size()
  const units = await folder.publish('page', body, contentType)
  const growth = folder.size() - before
  await folder.close()
  expect(growth).toBeLessThanOrEqual(limit)
  expect(units.reduce((sum, unit) => sum + JSON.stringify(unit).length, 0)).toBeLessThanOrEqual(limit)
  expect(units.length).toBeLessThanOrEqual(5_000)
}

const pagesOfOneKind: [string, string | Uint8Array, string?][] = [
  [
    'many keywords and headings',
    `<meta name=keywords content="${times(8_000, (at) => `${word(at)},`)}">${repeated(1_600, '<h2>a')}`,
  ],
  [
    'a long title',
    `<title>${times(20_000, word)} ${times(20_000, (at) => `t${at} `)}</title>${repeated(3_000, tiny)}`,
  ],
  [
    'long headings above',
    times(5, (level) => `<h${level + 1}>${times(300, (at) => `${word(at)} `)}`) +
      repeated(5_000, '<h6>a<p>b'),
  ],
  ['headings without text', repeated(20_000, '<h2>a')],
  ['headings with hardly any text', repeated(20_000, tiny)],
  ['long headings', times(300, (at) => `<h2>${times(1_000, (next) => `w${at}x${next} `)}<p>b`)],
  ['nested definitions', times(3_000, (at) => `<dl><dt id=a${at}>${word(at)}<dd>b`)],
  [
    'definitions that share a text',
    `<dl>${times(3_000, (at) => `<dt id=a${at}>x`)}<dd>${repeated(20_000, 'word ')}`,
  ],
  ['a long version', `<meta name=version content="${times(20_000, word)}">${repeated(3_000, tiny)}`],
  [
    'links from a long base',
    `<base href="https://x.org/${'a'.repeat(1_900)}/">${times(3_000, (at) => `<a href=${at}>`)}<p>b`,
  ],
  ['control characters in headings', repeated(5_000, `<h2>${'\u0001'.repeat(50)}<p>b`)],
  [
    'control characters in headings above, late in the page',
    repeated(1_000, 'word ') +
      times(5, (level) => `<h${level + 1}>${'\u0001'.repeat(499)}${level}`) +
      repeated(5_000, '<h6>a<p>b'),
  ],
  [
    'names beyond the East in headings above',
    times(5, (level) => `<h${level + 1}>${times(499, han)}${level}`) + repeated(5_000, '<h6>a<p>b'),
  ],
  ['paragraphs of a letter', repeated(60_000, '<p>a')],
  ['words that never repeat', times(40_000, (at) => `${word(at)} `), 'text/plain'],
  [
    'identifiers',
    times(
      15_000,
      (at) =>
        `${word(at)
          .slice(0, 6)
          .replace(/(.)(.)/g, (_, a, b) => `${a}${b.toUpperCase()}.`)}x `,
    ),
    'text/plain',
  ],
  [
    'the same short words in every section',
    times(300, (at) => `<h2>h${at}<p>${times(700, (next) => `${(next + 36).toString(36)} `)}`),
  ],
  ['ligatures of eighteen letters', repeated(20_000, `${'\ufdfa'.repeat(4)} `), 'text/plain'],
  ['characters of two bytes', iconv.encode(times(150_000, han), 'gbk'), 'text/plain; charset=gbk'],
  ['the same in three bytes', times(100_000, han), 'text/plain'],
  ['one paragraph', repeated(700_000, 'word '), 'text/plain'],
]

it.each(pagesOfOneKind)('%s', async (_, body, contentType) => {
  await expectBounded(body, contentType)
})

it('a changelog of many short sections is complete', async () => {
  const hash = (at: number) =>
    (((at + 1) * 2_654_435_761) % 4_294_967_296).toString(16).padStart(8, '0').slice(0, 7)
  const kinds = ['Bug Fixes', 'Features', 'Performance Improvements', 'Chores']
  const areas = ['api', 'client', 'internal', 'streaming', 'docs']
  const verbs = ['add', 'fix', 'remove', 'update', 'correct']
  const things = [
    'types of the response',
    'support for `baseURL`',
    'retries after a timeout',
    'the examples',
    'unused code',
  ]
  const item = (at: number) => {
    const url = `https://github.com/acme/tool/commit/${hash(at)}${hash(at * 7)}${hash(at * 31)}`
    const words = `**${areas[at % 5]}:** ${verbs[(at >> 2) % 5]} ${things[(at >> 4) % 5]}`
    return `* ${words} ([#${at}](https://github.com/acme/tool/issues/${at})) ([${hash(at)}](${url}))\n`
  }
  const release = (at: number) =>
    `## 4.${at}.0 (2025-01-${10 + (at % 20)})\n\nFull Changelog: [v4.${at}.0...v4.${at + 1}.0](https://github.com/acme/tool/compare/v4.${at}.0...v4.${at + 1}.0)\n\n` +
    times(
      3,
      (part) => `### ${kinds[(at + part) % 4]}\n\n${times(2, (next) => item(at * 6 + part * 2 + next))}\n`,
    )
  const text = `# Changelog\n\n${times(350, release)}`
  expect(text.length).toBeGreaterThan(300_000)
  for (const body of [Buffer.from(text), readFileSync('node_modules/rxjs/CHANGELOG.md')]) {
    const page = { uuid: 'p', version: 1, url: at('changelog'), sourceType: 'site' as const }
    const { cut } = await parsePage({ page, body, contentType: 'text/markdown', knownHash: null })
    expect(cut).toEqual([])
  }
})

it('any mixture', async () => {
  const words = fc.integer({ min: 1, max: 200 }).map((count) => times(count, (at) => `${word(at * count)} `))
  const piece = fc.oneof(
    fc.constantFrom(
      '<h2>a',
      tiny,
      '<p>a',
      '<dl><dt id=x>x<dd>',
      '<ul><li>x',
      '<pre>x</pre>',
      '<h6>b<p>c',
      '<table><tr><td>x',
    ),
    fc
      .tuple(fc.constantFrom('<h1>', '<h2>', '<h3>', '<p>', '<title>', '<dt id=y>'), words)
      .map((both) => both.join('')),
    words.map((keywords) => `<meta name=keywords content="${keywords.replaceAll(' ', ',')}">`),
  )
  const many = fc.tuple(fc.array(piece, { minLength: 1, maxLength: 8 }), fc.integer({ min: 1, max: 2_000 }))
  const page = fc
    .array(many, { minLength: 1, maxLength: 4 })
    .map((parts) => parts.map(([all, count]) => all.join('').repeat(count)).join(''))
  await fc.assert(
    fc.asyncProperty(page, (html) => expectBounded(html.slice(0, 1_000_000))),
    { numRuns: 25 },
  )
})

it.each([
  ['its sections: only its beginning can be found', repeated(6_000, tiny)],
  ['its title', `<title>${repeated(100, 'Long ')}</title><p>Text.`],
  ['a name on it', `<title>T</title><dl><dt id=f>f(${repeated(200, 'a, ')})<dd>Text.</dl>`],
  ['an anchor', `<h2 id="${repeated(501, 'a')}">Heading</h2><p>Text.`],
  ['its version', `<meta name=version content="${repeated(101, '1')}"><p>Text.`],
  [
    'its keywords',
    `<meta name=keywords content="${Array.from({ length: 51 }, (_, at) => word(at)).join()}"><p>Text.`,
  ],
  ['its links', times(9_000, (at) => `<a href="${word(at)}/${at}">l</a> `)],
])('the event log reports a truncated page: %s', async (part, html) => {
  const lab = await openLab()
  lab.site.pages.set('/', `<base href="${lab.site.url}${repeated(60, 'folder/')}">${html}`)
  await lab.addSource({ maxPages: 1 })
  const run = await lab.sync()
  expect(await lab.eventsOf(run, 'page_added')).toMatchObject([
    { level: 'warning', message: `The page is new. Cut or left out because it is too long: ${part}.` },
  ])
})
