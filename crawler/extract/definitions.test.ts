// Which terms, cells and signatures of a page are definitions, and their names and anchors.
import { expect, test } from 'vitest'
import { extract } from './extract.ts'

const url = 'https://docs.example.org/a/b.html'

test('a cell that starts with anchored signatures is a definition with all their names', () => {
  const html = `<meta name="generator" content="DocBook XSL"><body><h2>Tides</h2><table>
    <tr><th>Function</th></tr><tr><td><p><a id="f1"></a>tide_height ( text )</p>
    <p><a id="f2"></a>height_of_tide ( text )</p><p>Measures.</p></td></tr>
    <tr><td><p><a id="f3"></a>Just a paragraph.</p></td></tr></table>`
  const definitions = extract(html, url).sections.filter(({ kind }) => kind === 'definition')
  expect(definitions).toMatchObject([
    {
      anchor: 'f1',
      heading: 'tide_height ( text )',
      also: [{ heading: 'height_of_tide ( text )', anchor: 'f2' }],
      blocks: [{ text: 'Measures.' }],
    },
  ])
})

test('consecutive functions of one name are one definition', () => {
  const html = `<dl><dt id="a">open(gate)<dd>Opens.<dt id="b">open(gate, tide)<dd>Opens at a tide.
    <dt id="c">close(gate)<dd>Closes.</dl><dl><dt id="d">--tide<dd>One.<dt id="e">--tide<dd>Two.</dl>`
  expect(
    extract(html, url).sections.map(({ anchor, also, blocks }) => [anchor, also?.[0]?.anchor, blocks]),
  ).toEqual([
    [
      'a',
      'b',
      [
        { kind: 'paragraph', text: 'Opens.' },
        { kind: 'code', text: 'open(gate, tide)' },
        { kind: 'paragraph', text: 'Opens at a tide.' },
      ],
    ],
    ['c', undefined, [{ kind: 'paragraph', text: 'Closes.' }]],
    ['d', undefined, [{ kind: 'paragraph', text: 'One.' }]],
    ['e', undefined, [{ kind: 'paragraph', text: 'Two.' }]],
  ])
})

test('a term without an anchor has that of its neighbors', () => {
  expect(extract('<dl><dt>-t<dt id="tide">--tide<dd>Rises.</dl>', url).sections).toMatchObject([
    { heading: '-t', anchor: 'tide', also: [{ heading: '--tide', anchor: 'tide' }] },
  ])
})

test('terms with index entries at the end of the previous description, or the start of their own, are definitions', () => {
  const html = `<h2 id="cmd">Commands</h2><dl><dt>ebb</dt><dd><a name="i1"></a>Falls.<span id="i2"></span>
    <a name="i3"></a></dd><dt>flood <i>n</i></dt><dt>&nbsp;&nbsp; [ -h ]</dt><dt>rise</dt><dd>Rises.</dd>
    <dt>slack</dt><dd>Stands <span id="i4"></span> still.</dd></dl>`
  expect(extract(html, url).sections).toMatchObject([
    { heading: 'Commands', blocks: [{ kind: 'list', text: '- slack: Stands still.' }] },
    { kind: 'definition', heading: 'ebb', anchor: 'i1', blocks: [{ text: 'Falls.' }] },
    {
      kind: 'definition',
      heading: 'flood n [ -h ]',
      anchor: 'i2',
      also: [{ heading: 'rise', anchor: 'i2' }],
    },
  ])
})

test('a definition of more than 50 names is split', () => {
  const terms = Array.from({ length: 51 }, (_, at) => `<dt id=t${at}>t${at}`).join('')
  const { sections } = extract(`<dl>${terms}<dd>Rises.</dl>`, url)
  expect(sections.map(({ anchor, also = [], blocks }) => [anchor, also.length, blocks.length])).toEqual([
    ['t0', 49, 1],
    ['t50', 0, 1],
  ])
})
