import { expect, test } from 'vitest'
import { confluenceParser, type StoredPage } from './confluence-parser.ts'

const url = 'https://acme.atlassian.net/wiki/spaces/DOC/pages/1/Guide'

async function parse(storage: string, page: Partial<StoredPage> = {}) {
  const stored: StoredPage = { title: 'Guide', storage, edition: 'cloud', included: [], ...page }
  const body = new TextEncoder().encode(JSON.stringify(stored))
  return confluenceParser.parse({ url, body, contentType: 'application/json' })
}

const blocks = async (storage: string, page: Partial<StoredPage> = {}) =>
  (await parse(storage, page)).sections.flatMap((section) =>
    section.blocks.map(({ kind, text }) => [kind, text]),
  )

const macro = (name: string, parameters: Record<string, string>, body = '') => {
  const given = Object.entries(parameters).map(
    ([key, value]) => `<ac:parameter ac:name="${key}">${value}</ac:parameter>`,
  )
  return `<ac:structured-macro ac:name="${name}" ac:schema-version="1">${given.join('')}${body}</ac:structured-macro>`
}
const rich = (html: string) => `<ac:rich-text-body>${html}</ac:rich-text-body>`
const plain = (text: string) => `<ac:plain-text-body><![CDATA[${text}]]></ac:plain-text-body>`
const include = (title: string, more = '') =>
  macro('include', { '': `<ac:link><ri:page ri:content-title="${title}"${more} /></ac:link>` })

test('keeps code verbatim, with its title', async () => {
  const code = 'if (a < b && c) {\n  print("&amp;")\n}'
  expect(await blocks(macro('code', { language: 'js', title: 'Like this' }, plain(code)))).toEqual([
    ['paragraph', 'Like this'],
    ['code', code],
  ])
  expect(await blocks(macro('noformat', {}, plain('  a\n  b')))).toEqual([['code', '  a\n  b']])
  const parted = macro('code', {}, '<ac:plain-text-body><![CDATA[a]]]]><![CDATA[>b]]></ac:plain-text-body>')
  expect(await blocks(parted)).toEqual([['code', 'a]]>b']])
})

test.each(['panel', 'info', 'note', 'warning', 'tip', 'expand', 'some-add-on'])(
  'reads the title and text of %s',
  async (name) => {
    expect(await blocks(macro(name, { title: 'Beware' }, rich('<p>It is hot.</p>')))).toEqual([
      ['paragraph', 'Beware'],
      ['paragraph', 'It is hot.'],
    ])
  },
)

test('reads tables, lists, tasks and layouts', async () => {
  const table =
    '<table><colgroup><col /></colgroup><tbody><tr><th>Name</th><th>Use</th></tr><tr><td><p>a</p></td><td>b</td></tr></tbody></table>'
  expect(await blocks(table)).toEqual([['table', 'Name | Use\na | b']])
  const tasks =
    '<ac:task-list><ac:task><ac:task-id>1</ac:task-id><ac:task-status>incomplete</ac:task-status><ac:task-body>Write it</ac:task-body></ac:task></ac:task-list>'
  expect(await blocks(tasks)).toEqual([['list', '- Write it']])
  const layout =
    '<ac:layout><ac:layout-section ac:type="two_equal"><ac:layout-cell><p>Left</p></ac:layout-cell><ac:layout-cell><p>Right</p></ac:layout-cell></ac:layout-section></ac:layout>'
  expect(await blocks(layout)).toEqual([
    ['paragraph', 'Left'],
    ['paragraph', 'Right'],
  ])
})

test('reads the text of links, or the title of their page, and nothing of images and tables of contents', async () => {
  const links =
    '<p>See <ac:link><ri:page ri:content-title="Set up" /></ac:link>, <ac:link ac:anchor="x"><ri:page ri:content-title="Set up" /><ac:plain-text-link-body><![CDATA[how & why]]></ac:plain-text-link-body></ac:link> and <ac:link><ri:attachment ri:filename="a.pdf" /><ac:link-body><em>this</em></ac:link-body></ac:link>.</p>'
  expect(await blocks(links)).toEqual([['paragraph', 'See Set up, how & why and this.']])
  const image =
    '<ac:image ac:alt="x"><ri:attachment ri:filename="a.png" /><ac:caption><p>A</p></ac:caption></ac:image>'
  expect(await blocks(`${macro('toc', { maxLevel: '2' })}${image}<p>Text</p>`)).toEqual([
    ['paragraph', 'Text'],
  ])
})

test('reads status, entities, dates and inline comment marks as text', async () => {
  const storage = `<p>Caf&eacute;&nbsp;&amp;lt; &#8211; ${macro('status', { colour: 'Green', title: 'DONE' })} <time datetime="2026-01-02" /> <ac:inline-comment-marker ac:ref="1">marked</ac:inline-comment-marker></p>`
  expect(await blocks(storage)).toEqual([['paragraph', 'Café &lt; – DONE 2026-01-02 marked']])
})

test('reads panels of the newer editor once', async () => {
  const storage =
    '<ac:adf-extension><ac:adf-node type="panel"><ac:adf-attribute key="panel-type">note</ac:adf-attribute><ac:adf-content><p>Once.</p></ac:adf-content></ac:adf-node><ac:adf-fallback><p>Once.</p></ac:adf-fallback></ac:adf-extension>'
  expect(await blocks(storage)).toEqual([['paragraph', 'Once.']])
})

test('has no sections without text, and ignores hidden text', async () => {
  const hidden = macro('excerpt', { hidden: 'true' }, rich('<p>Hidden.</p>'))
  expect((await parse(`<p> </p>${hidden}${macro('children', {})}`)).sections).toEqual([])
  expect(await blocks('<p>Seen</p><script>alert(1)</script><p style="display: none">Unseen</p>')).toEqual([
    ['paragraph', 'Seen'],
  ])
})

test("keeps the page's title, whatever its headings", async () => {
  const page = await parse('<h1>Other</h1><p>Words.</p>')
  expect(page.title).toBe('Guide')
  expect(page.sections.map(({ heading, anchor }) => [heading, anchor])).toEqual([
    ['Guide', null],
    ['Other', 'Other'],
  ])
})

test('ignores includes of other spaces and recursive ones', async () => {
  const included: [string, string][] = [
    ['A', `<p>a</p>${include('B')}`],
    ['B', `<p>b</p>${include('A')}${include('Guide')}`],
  ]
  const storage = `${include('A')}${include('A', ' ri:space-key="OTHER"')}`
  expect(await blocks(storage, { included })).toEqual([
    ['paragraph', 'a'],
    ['paragraph', 'b'],
  ])
})

test('limits includes that multiply', async () => {
  const many = (title: string) => include(title).repeat(100)
  const included: [string, string][] = ['A', 'B', 'C', 'D', 'E'].map((title) => [
    title,
    `<p>${title}</p>${many('A')}${many('B')}${many('C')}${many('D')}${many('E')}`,
  ])
  const found = await blocks(many('A'), { included })
  expect(found.length).toBeGreaterThan(1)
  expect(found.length).toBeLessThanOrEqual(50)
})

const bomb =
  '<!DOCTYPE x [<!ENTITY a "aaaaaaaaaa"><!ENTITY b "&a;&a;&a;&a;"><!ENTITY f SYSTEM "file:///etc/passwd">]>'
const deep = (tag: string) => `<${tag}>`.repeat(100_000)

test.each<[string, string]>([
  ['declares entities', `${bomb}<p>&b;&f; Words</p>`],
  ['nests', `${deep('div')}Words${deep('/div')}`],
  ['nests macros', `${'<ac:structured-macro ac:name="info"><ac:rich-text-body>'.repeat(50_000)}<p>Words</p>`],
  ['never closes', `${deep('p')}Words`],
  ['closes elements that are not open', `${deep('/p')}<p>Words</p>`],
  ['closes its own root', '</root></root><p>Words</p>'],
  ['is broken', '<p>Words <b <i a= & &# &#xffffff; &nope; </q></p><![CDATA['],
  ['ends in the middle', '<p>Words</p><ac:structured-macro ac:na'],
  [
    'uses names of object properties',
    `<constructor>Words</constructor>${macro('__proto__', {})}${macro('toString', {}, rich('<p>x</p>'))}`,
  ],
])('reads storage format that %s within limits', async (_, storage) => {
  const text = JSON.stringify((await parse(storage)).sections)
  expect(text).toContain('Words')
  expect(text).not.toMatch(/aaaaaaaaaa|root:/)
})

test('reads a huge table', async () => {
  const row = `<tr>${'<td><p>cell</p></td>'.repeat(20)}</tr>`
  const { sections } = await parse(`<table><tbody>${row.repeat(5_000)}</tbody></table>`)
  expect(sections[0]!.blocks[0]!.text.split('\n')).toHaveLength(5_000)
})
