// The metadata and links of a page, and the text that a reader sees.
import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { extract } from './extract.ts'

const url = 'https://docs.example.org/a/b.html'
const text = (html: string) =>
  extract(html, url)
    .sections.flatMap(({ blocks }) => blocks.map((block) => block.text))
    .join('\n')

test('reads the head and links of a plain page', () => {
  const page = extract(readFileSync('test/fixtures/extract/plain/install.html', 'utf8'), url)
  expect(page).toMatchObject({
    title: 'Install Tideline',
    language: 'en-us',
    canonical: 'https://docs.example.org/docs/install.html',
    boost: 2.5,
    keywords: ['setup', 'install', 'package'],
    noindex: false,
    links: [
      'https://docs.example.org/docs/index.html',
      'https://docs.example.org/docs/install.html',
      'https://docs.example.org/docs/faq.html',
    ],
  })
})

test.each([
  // Sphinx, with pages as files and as folders.
  ['en/latest/use.html', '_sources/use.md.txt'],
  ['en/latest/api/index.html', '../_sources/api/index.rst.txt'],
  ['en/latest/use/', '../_sources/use.rst.txt'],
  ['en/latest/index.html', '_sources/index.rst.txt'],
  // Links to read or copy a page as Markdown.
  ['guide/use', '/guide/use.md'],
  ['guide/use/', 'index.md'],
  ['guide/', '../guide.mdx'],
  ['guide/use.html', 'use.html.md?plain=1'],
])('the page %s has no link to its source %s', (page, source) => {
  const html = `<a href="${source}">View source</a><a href="other.md">Other</a><a href="/use.txt">Text</a>`
  const at = `https://docs.example.org/${page}`
  expect(extract(html, at).links).toEqual([new URL('other.md', at).href, 'https://docs.example.org/use.txt'])
})

test('reads a document without an address', () => {
  expect(extract('<p>Tide</p><a href="a.md">a</a>', '#/harbours/list')).toMatchObject({
    links: [],
    sections: [{}],
  })
})

test.each([
  ['<meta name="robots" content="noindex, follow">', true, false],
  ['<meta name="lectern" content="nofollow">', false, true],
  ['<META NAME="Robots" CONTENT="NONE">', true, true],
  ['<meta name="googlebot" content="none">', false, false],
])('%s', (meta, noindex, nofollow) => {
  expect(extract(meta, url)).toMatchObject({ noindex, nofollow })
})

test('keeps line breaks in code outside of pre as a browser shows them', () => {
  const page = (generator: string, html: string) =>
    text(`<meta name="generator" content="${generator}"><h1>T</h1>${html}`)
  const layout =
    '<div class="literallayout"><p><br>\nfirst<br>\n\u00a0\u00a0indented<br>\n<br>\nlast<br>\n</p></div>'
  expect(page('DocBook XSL Stylesheets V1.79.2', layout)).toBe('first\n  indented\n\nlast')
  expect(text('<p>Run</p><code>a\n  b<br>\n  c</code>')).toBe('Run\na b\nc')
  expect(text('<p>Run</p><code>a <b> </b> b<br><b> </b><b> </b>c</code>')).toBe('Run\na b\nc')
})

test.each([
  [
    '<p>The <code>add_one</code>/<em>Cargo.toml</em> of <kbd>a  b</kbd>.</p>',
    'paragraph',
    'The add_one/Cargo.toml of a b.',
    ['add_one', 'a b'],
  ],
  [
    '<ul><li><code>-q</code>: quiet</li><li><tt>x</tt><samp></samp></li></ul>',
    'list',
    '- -q: quiet\n- x',
    ['-q', 'x'],
  ],
  ['<table><tr><td><code><a href="b.html">f</a></code></td><td>g</td></tr></table>', 'table', 'f | g', ['f']],
  ['<p>See <code>a<code>b</code></code> c</p>', 'paragraph', 'See ab c', ['b']],
  ['<p>x <code><p>y</p></code></p>', 'paragraph', 'x', []],
])('%s records the positions of its code', (html, kind, text, code) => {
  const [block] = extract(html, url).sections[0]!.blocks
  expect(block).toMatchObject({ kind, text })
  const places = block!.code ?? []
  expect(code).toEqual(code.map((_, at) => text.slice(places[2 * at], places[2 * at + 1])))
  expect(places).toHaveLength(2 * code.length)
})

test('keeps a line break within code', () => {
  const blocks = extract('<p>Run</p><p><code>make<br>make install</code></p>', url).sections[0]!.blocks
  expect(blocks[1]).toEqual({ kind: 'code', text: 'make\nmake install' })
  const docbook = extract(
    '<meta name="generator" content="DocBook"><div class="cmdsynopsis"><p><code>initdb</code>  [<em>option</em>...]<br>more</p></div>',
    url,
  )
  expect(docbook.sections[0]!.blocks).toEqual([{ kind: 'code', text: 'initdb [option...]\nmore' }])
})

test.each([
  ['<pre><code class="language-rust does_not_compile">let</code></pre>', 'This code does not compile.'],
  ['<div class="example-wrap should_panic"><pre class="rust">panic!()</pre></div>', 'This code panics.'],
])('%s has a note', (html, note) => {
  const blocks = extract(`<p>Such as</p>${html}`, url).sections[0]!.blocks
  expect(blocks.map(({ kind }) => kind)).toEqual(['paragraph', 'paragraph', 'code'])
  expect(blocks[1]!.text).toBe(note)
})

test.each([
  ['Note :', 'Note'],
  ['Usage:', 'Usage'],
  ['Usage ¶', 'Usage'],
  ['Usage #', 'Usage'],
  ['使い方：', '使い方'],
  ['F#', 'F#'],
  ['std::', 'std::'],
  ['Wait ...', 'Wait ...'],
  ['Why?', 'Why?'],
])('cleans the heading %s to %s', (heading, shown) => {
  const page = extract(`<h1>${heading}</h1><p>a</p><h2>${heading}</h2><p>b</p>`, url)
  expect([page.title, ...page.sections.map((section) => section.heading)]).toEqual([shown, shown, shown])
})

test.each([
  ['0.1', 0.1],
  ['10', 10],
  ['0', 1],
  ['11', 1],
  ['much', 1],
  ['', 1],
])('boost %s', (content, boost) => {
  expect(extract(`<meta name="lectern:boost" content="${content}">`, url).boost).toBe(boost)
})

test('reads a canonical URL with any scheme', () => {
  expect(extract('<link rel="canonical" href="file:///usr/share/x.html">', url).canonical).toBe(
    'file:///usr/share/x.html',
  )
})

test('reads the version from meta tags', () => {
  expect(
    extract('<meta name="version" content="1"><meta name="docsearch:version" content="2.4">', url).version,
  ).toBe('2.4')
})

test.each([
  '<p hidden>',
  '<p style="opacity:0">',
  '<p style="color:red; opacity : 0.0 !important">',
  '<p style="font-size:0px">',
  '<p style="font-size: 0">',
  '<div style="position:absolute; left:-9999px">',
  '<div style="text-indent: -99999px">',
  '<p style="color: transparent">',
  '<div style="clip: rect(0 0 0 0)">',
  '<div style="clip-path:inset(100%)">',
  '<div aria-hidden="true">',
  '<p style="color: red; display:none">',
  '<span class="visually-hidden">',
  '<span class="x sr-only">',
  '<nav>',
  '<div role="navigation">',
  '<div role="search">',
  '<script>',
  '<style>',
  '<template>',
  '<svg><text>',
  '<div class="cookie-banner">',
  '<aside>',
])('%s is not content', (open) => {
  expect(text(`<body><p>seen</p>${open}gone</${/<(\w+)/.exec(open)![1]}><p>end`)).toBe('seen\nend')
})

test.each([
  '<p style="opacity:0; transform: translateY(10px)">',
  '<p style="opacity:0.5">',
  '<p style="font-size:0.9em">',
  '<p style="margin-left:-12px; background-color: transparent">',
])('%s is content', (open) => {
  expect(text(`<body>${open}here</p>`)).toBe('here')
})

test('ignores text made only of invisible characters, and leaves no white space', () => {
  const none = '\u200b'
  expect(extract(`<title>x</title><p>${none}<pre>${none}</pre>`, url).sections).toEqual([])
  const html = `<h1>a ${none} b ${none}</h1><p>${none}<p>c ${none} d<ul><li>${none}<li>e ${none}</ul><h2>${none}</h2><p>f`
  const { title, sections } = extract(html, url)
  expect(title).toBe('a b')
  expect(sections.map(({ heading, blocks }) => [heading, ...blocks.map(({ text }) => text)])).toEqual([
    ['a b', 'c d', '- e'],
    ['', 'f'],
  ])
})

test('removes invisible characters, and those that reverse text', () => {
  const hidden = '\u{e0049}\u{e0067}\u200b\u202e&#8238;&#xe0041;'
  const page = extract(
    `<title>T${hidden}</title><body><h2>H${hidden}</h2><p>a${hidden}b<pre>c${hidden}\u200dd</pre>`,
    url,
  )
  expect(page.title).toBe('T')
  expect(page.sections.map(({ heading }) => heading)).toEqual(['H'])
  expect(page.sections[0]!.blocks.map((block) => block.text)).toEqual(['ab', 'c\u200dd'])
})

test('reads tabs in the background as content', () => {
  expect(text('<body><p>a<div role="tabpanel" hidden><p>b</div>')).toBe('a\nb')
})

test('removes line numbers of code', () => {
  const html = `<body><table class="highlighttable"><tr><td class="linenos"><pre>1\n2</pre></td>
    <td class="code"><pre>a\n  b</pre></td></tr></table>`
  expect(extract(html, url).sections[0]?.blocks).toEqual([{ kind: 'code', text: 'a\n  b' }])
})

test('chooses the densest block of an unknown page as content', () => {
  const html = `<body><div class="links"><div>Menu of the site</div></div><div><div><p>${'word '.repeat(100)}</div></div>`
  expect(text(html)).not.toContain('Menu')
})

test("ignores a first heading that only links to the site, unless it is the page's title", () => {
  const read = (title: string, banner: string) =>
    extract(`<title>${title}</title><h1>${banner}</h1><h2 id="l">Chapter 2 - Locks</h2><p>Wait.`, url)
  const site = '<a href="https://tideline.example">Tideline</a>'
  const own = `<a href="${url}">Locks</a>`
  const names = (page: ReturnType<typeof read>) => [
    page.title,
    ...page.sections.map(({ heading }) => heading),
  ]
  expect(names(read('2. Locks', site))).toEqual(['2. Locks', 'Chapter 2 - Locks'])
  expect(names(read('Tideline: Locks', site))).toEqual(['Tideline', 'Tideline', 'Chapter 2 - Locks'])
  expect(names(read('Of gates', own))).toEqual(['Locks', 'Locks', 'Chapter 2 - Locks'])
  expect(names(read('2. Locks', `${site} manual`))).toEqual([
    'Tideline manual',
    'Tideline manual',
    'Chapter 2 - Locks',
  ])
})

test('ignores the text of a menu that opens on a click, and follows its links', () => {
  const page = extract(
    '<p>See "<a href="#">maxconn</a><ul class="dropdown-menu"><li><a href="peers">In peers</a></ul>".',
    url,
  )
  expect(JSON.stringify(page.sections)).not.toContain('In peers')
  expect(page.links).toContain(new URL('peers', url).href)
})

test.each([
  ['Locks', 'Locks', true],
  ['Locks - Tideline', 'Locks', true],
  ['Tideline | Locks', 'Locks', true],
  ['Tideline: Manual: 2: 8.1. Locks', 'Locks', true],
  ['Locks and gates', 'Locks', false],
  ['About Locks', 'Locks', false],
])("with the title %s, the first heading %s is the page's: %s", (title, heading, isTitle) => {
  const page = extract(`<title>${title}</title><h2>${heading}</h2><p>One.<h3>Next</h3>Two.`, url)
  expect(page.sections.at(-1)!.path).toEqual(isTitle ? [] : [heading])
  expect(page.title === heading).toBe(isTitle)
})

test('reads the number of a footnote neither as a heading nor as part of the previous word', () => {
  const html = `<h2>Tides</h2><p>Most<a id="DOCF1" href="#FOOT1"><sup>1</sup></a> rise
    twice<sup><a href="#n2">[2]</a></sup>, see <a href="#locks">4</a>.</p><h4>Footnotes</h4>
    <h5><a id="FOOT1" href="#DOCF1">(1)</a></h5><p>Not all.</p><h5><a id="two" href="#two">2</a></h5><p>The second.`
  expect(
    extract(html, url).sections.map(({ heading, blocks }) => [heading, ...blocks.map(({ text }) => text)]),
  ).toEqual([
    ['Tides', 'Most rise twice, see 4.'],
    ['Footnotes', 'Not all.'],
    ['2', 'The second.'],
  ])
})

test.each([
  ['<p>Wait.', 'locks'],
  ['<title> </title><p>Wait.', 'locks'],
  ['<title>&lt;no title&gt; &#8212; Tideline 2.1</title><p>Wait.', 'locks'],
  ['<title>&lt;no title&gt;</title><h2>Gates</h2><p>Wait.', 'Gates'],
])('names a page without a title after its first section, or its address: %s', (html, title) => {
  expect(extract(html, 'https://docs.example.org/guide/locks/').title).toBe(title)
})
