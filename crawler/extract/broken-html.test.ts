// Malformed HTML: extraction reads what a browser shows, with its headings and anchors.
import { expect, test } from 'vitest'
import { extract } from './extract.ts'

/** One line per section, `##anchor heading`, or `=anchor heading` for a definition, then one per block. */
function show(html: string): string[] {
  return extract(html, 'https://docs.example.org/a.html').sections.flatMap(
    ({ kind, anchor, heading, blocks }) => [
      ...(heading || anchor ? [`${kind === 'definition' ? '=' : '##'}${anchor ?? ''} ${heading}`] : []),
      ...blocks.map((block) => (block.kind === 'code' ? `\`${block.text}\`` : block.text)),
    ],
  )
}

const long = 'The tide comes in and goes out again. '.repeat(6).trim()

test.each<[string, string, string[]]>([
  [
    'a heading closed by another level',
    '<h2 id=a>Start</h1><p>One.<h2 id=b>Next</h3><p>Two.',
    ['##a Start', 'One.', '##b Next', 'Two.'],
  ],
  ['an unclosed heading', '<h2 id=a>Start<p>One.<p>Two.', ['##a Start', 'One.', 'Two.']],
  [
    'an unclosed heading with an anchor in it',
    '<h2><a name=a>Start<p>One.<ul><li>Two</ul>',
    ['##a Start', 'One.', '- Two'],
  ],
  ['a heading closed by the next', '<h2 id=a>Start<h2 id=b>Next</h2>One.', ['##a Start', '##b Next', 'One.']],
  ['a heading closed by a list', '<h2 id=a>Start<ul><li>One</ul></h2>Two.', ['##a Start', '- One', 'Two.']],
  ['a heading closed by code', '<h2 id=a>Start<pre>make</pre>', ['##a Start', '`make`']],
  ['a heading around a block', '<h2 id=a><div><p>Start</p></div></h2><p>One.', ['##a Start', 'One.']],
  [
    'a heading whose permalink is a block',
    '<h2 id=a>Start<a class=headerlink href=#a>¶</a></h2>One.',
    ['##a Start', 'One.'],
  ],
  ['a heading that is a paragraph', `<h2 id=a>${long}</h2><p>One.`, [long, 'One.']],
  ['a heading without text', '<h2 id=a></h2><p>One.', ['One.']],
  ['a heading that is an image', '<h2 id=a><img src=x alt="Start"></h2><p>One.', ['##a Start', 'One.']],
  ['a heading beside an image', '<h2 id=a><img src=x alt="Sign"> Start</h2><p>One.', ['##a Start', 'One.']],
  ['a heading in a link', '<a href=x id=a><h3>Start</h3></a><p>One.', ['##a Start', 'One.']],
  [
    'a heading in an unclosed link',
    '<a href=x><h3 id=a>Start</h3><p>One.<p>Two.',
    ['##a Start', 'One.', 'Two.'],
  ],
  [
    'headings in cells',
    '<table><tr><td><h2 id=a>Start</h2>One.<td><h2 id=b>Next</h2>Two.</table>',
    ['##a Start', 'One.', '##b Next', 'Two.'],
  ],
  ['a heading in a list', '<ul><li><h3 id=a>Start</h3>One.<li>Two.</ul>', ['##a Start', 'One.', '- Two.']],
  ['unclosed items', '<ul><li>One<li>Two<p>more<li>Three</ul>End.', ['- One\n- Two more\n- Three', 'End.']],
  ['items never ended, stressed', '<ul><li><b>One<li><i>Two<li>Three</ul>', ['- One\n- Two\n- Three']],
  ['items never ended, in blocks', '<ul><li><p><a href=x>One<li><p><a href=y>Two</ul>', ['- One\n- Two']],
  ['an unclosed list', '<ul><li>One<li>Two<h2 id=a>Start</h2><p>End.', ['- One\n- Two', '##a Start', 'End.']],
  ['an unclosed list in a list', '<ul><li>One<ul><li>Two</ul><li>Three</ul>', ['- One\n- Two\n- Three']],
  ['items without a list', '<li>One<li>Two<p>End.', ['One', 'Two', 'End.']],
  [
    'unclosed terms',
    '<dl><dt id=a><b>run<dd><p>One.<dt id=b>stop<dd>Two.</dl>',
    ['=a run', 'One.', '=b stop', 'Two.'],
  ],
  ['unclosed cells', '<table><tr><td>a<td><p>b<tr><td><b>c<td>d</table>End.', ['a | b\nc | d', 'End.']],
  ['cells never ended, in blocks', '<table><tr><td><div>a<td><div>b<tr><td>c</table>', ['a | b\nc']],
  [
    'an end tag of an element around the table',
    '<div><table><tr><td>a</div><td>b</table></div>End.',
    ['a | b', 'End.'],
  ],
  ['rows without a table', '<tr><td>a<td>b</tr><p>End.', ['ab', 'End.']],
  ['text between rows', '<p>Go.<table>One.<tr><td>a<td>b</table>', ['Go.One.', 'a | b']],
  ['a table in a list', '<ul><li>One<table><tr><td>a<td>b</table><li>Two</ul>', ['- One', 'a | b', '- Two']],
  ['a list in a cell', '<table><tr><td>a<td><ul><li>b<li>c</ul></table>', ['a | b c']],
  ['code in an unclosed cell', '<table><tr><td>a<td><pre>b<tr><td>c</table>', ['`b`', 'a', 'c']],
  ['unclosed paragraphs', '<p>One<p>Two<div>Three<p>Four</div>Five', ['One', 'Two', 'Three', 'Four', 'Five']],
  ['end tags of elements that are not open', '</p></div>One</b></li></table></h2><p>Two', ['One', 'Two']],
  ['crossed end tags', '<p><b>One<i>two</b>three</i><p>Four', ['Onetwothree', 'Four']],
  [
    'links in links',
    '<p><a href=x>One <a href=y>two <a href=z>three</a></a></a><p>Four',
    ['One two three', 'Four'],
  ],
  ['anchors in anchors', '<a name=a><a name=b><h2>Start</h2></a></a><p>One.', ['##b Start', 'One.']],
  ['no html, no head, no body', 'One<h2>Start</h2>Two', ['One', '## Start', 'Two']],
  [
    'a body that never starts',
    '<html><head><title>T</title><p>One.<h2>Start</h2>Two',
    ['One.', '## Start', 'Two'],
  ],
  ['two bodies', '<body><p>One.</body><body><p>Two.</html><p>Three.', ['One.', 'Two.', 'Three.']],
  ['an unclosed title', '<title>T<p>One.', []],
  ['an unclosed comment', '<p>One.<!-- <p>Two.', ['One.']],
  ['an unclosed tag', '<p>One.<p class="x', ['One.']],
  [
    'two main elements',
    '<nav>n</nav><main><p>One.</main><main><h2>Start</h2><p>Two.</main>',
    ['One.', '## Start', 'Two.'],
  ],
  [
    'a main element in another',
    '<main><p>One.<main><p>Two.</main><p>Three.</main>',
    ['One.', 'Two.', 'Three.'],
  ],
  ['capitals', '<H2 ID=a>Start</H2><UL><LI>One</UL>', ['##a Start', '- One']],
  [
    'centered and colored',
    '<center><font size=7><h2>Start</h2></font></center><font>One.',
    ['## Start', 'One.'],
  ],
])('%s', (_, html, lines) => expect(show(html)).toEqual(lines))

test('a page of frames links to their documents', () => {
  const { sections, links } = extract(
    '<title>T</title><frameset cols="20%,80%"><frame src=menu.html><frame src=start.html><noframes>No.</noframes></frameset>',
    'https://docs.example.org/a.html',
  )
  expect(sections).toEqual([])
  expect(links).toEqual(['https://docs.example.org/menu.html', 'https://docs.example.org/start.html'])
})

test('reads self-closing elements in XHTML', () => {
  expect(
    show(
      '<?xml version="1.0"?><html><body><p><a name="x"/>One.</p><h2><a id="a"/>Start</h2><div/><p>Two.</p></body></html>',
    ),
  ).toEqual(['One.', '##a Start', 'Two.'])
})

test.each(['script', 'style', 'title', 'textarea', 'iframe', 'noscript', 'xmp', 'plaintext'])(
  'continues after an empty %s in XHTML',
  (name) => {
    const html = (head: string, body: string) =>
      `<?xml version="1.0"?><html><head>${head}</head><body><h1>Start</h1>${body}<p>One.</p><h2>Next</h2>Two.</body></html>`
    const expected = ['## Start', 'One.', '## Next', 'Two.']
    expect(show(html(`<${name}/>`, ''))).toEqual(expected)
    expect(show(html('<title>T</title>', `<${name} class="x"/>`))).toEqual(expected)
  },
)

test('reads unclosed formatting in paragraphs in linear time', () => {
  const fonts = Array.from({ length: 3_000 }, (_, at) => `<font size=${at}>`).join('')
  expect(show(`<p>${fonts}</p>${'<p>x</p>'.repeat(3_000)}`)).toHaveLength(3_000)
})
