// The one-pass reader reports pages as parse5 does, and leaves pages that parse5 would repair to it.
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { visitHtml } from './html-tree.ts'
import { visitTidyHtml } from './tidy-html.ts'

type Reported = [name: string, attribs: Record<string, string>] | string | { comment: string } | null

function record() {
  const reported: Reported[] = []
  const open: string[] = []
  /** Ignores drawings, which no reader sees. */
  const report = (what: Reported) => void (open.includes('svg') || reported.push(what))
  const visitor = {
    open(name: string, attribs: Record<string, string>) {
      report([name, name === 'svg' ? {} : attribs])
      open.push(name)
    },
    close() {
      open.pop()
      report(null)
    },
    text: report,
    comment: (comment: string) => report({ comment }),
  }
  return { reported, visitor }
}

function readByParse5(html: string): Reported[] {
  const { reported, visitor } = record()
  visitHtml(html, visitor)
  return reported
}

/** Null if it is left to parse5. */
function readTidy(html: string): Reported[] | null {
  const { reported, visitor } = record()
  return visitTidyHtml(html, visitor) ? reported : null
}

const page = (body: string) =>
  `<!DOCTYPE html>\n<html><head><title>T</title></head>\n<body>${body}</body></html>\n`

const tidy = {
  'paragraphs that the next one ends': '<p>One.<p>Two.<div>Three.</div>',
  'ends of paragraphs that ended before': '<p>a<p>b</p></p><p>c<hr>d</p><ul><li>e</p></ul>',
  'a list whose last items are open':
    '<ul><li>One</li><li><p>Two<ul><li>Three</ul></ul><dl><dt>a</dt><dd><p>b</dl>',
  'definitions in wrappers': '<dl><div><dt>a</dt><dd>b</dd></div><div><dt>c</dt><dd>d</dd></div></dl>',
  'a table whose parts are all there':
    '<table><caption>C</caption><colgroup><col><col></colgroup><thead><tr><th>a</th></tr></thead><tbody><tr><td>b</td></tr></tbody></table>',
  'rows without a group': '<table> <tr><th>a</th><td><p>b</td></tr></table>',
  'columns without a group':
    '<table> <col><col width=1> <thead><tr><td>a</td></tr><tbody><tr><td>b</td></tr></table>',
  'a table in a cell': '<table><tr><td><table><tr><td>a</td></tr></table></td></tr></table>',
  'code with a first line': '<pre>\n\na &lt;b&gt; &amp;amp; &copy &#x1F600;&#0;\n</pre>',
  'attributes in all ways of writing': `<a HREF='x?a&amp;b&lt' title="y&lt=z" rel=next hidden ><IMG src=a/b alt=''/></a>`,
  'raw text':
    '<script>a < b && "</p>"</script><style>p > a { }</style><noscript><p></noscript><textarea>\n&lt;p></textarea>',
  'an icon': '<svg viewbox="0 0 1 1" xlink:href="a"><g><path d="M0"/></g><path d="M1"></path></svg>',
  'a deep drawing': `<svg>${'<g>'.repeat(300)}${'</g>'.repeat(300)}</svg>`,
  controls: '<form><button>a</button><input type=text><label>b</label></form><my-element>c</my-element>',
}

test.each(Object.entries(tidy))('reads %s in one pass', (_, body) => {
  const html = page(body)
  expect(readTidy(html)).toEqual(readByParse5(html))
})

test.each([
  '<html><head></head><body><table><tr><td><p>a <b>b\n',
  '<html><head></head><body>a</body>\n<!-- b --></html>\n<!-- c -->\n',
])('reads %j in one pass', (html) => {
  expect(readTidy(html)).toEqual(readByParse5(html))
})

test('reads XHTML, where any element may be self-closing, in one pass', () => {
  const html = `<?xml version="1.0"?>\n<!DOCTYPE html PUBLIC "-//W3C//DTD XHTML 1.0//EN" "x.dtd"><html xmlns="x"><head><title>T</title>
    <script src="a"/></head><body><a id="b"/><p/>c<pre/>\nd<textarea/>\ne<svg><path/></svg></body></html>`
  expect(readTidy(html)).toEqual(readByParse5(html))
})

test.each([
  ['an end tag without a start tag', '<b>a</b></b>'],
  ['an early end tag', '<b><i>a</b></i>'],
  ['a block in inline text in a paragraph', '<p><b>a<div>b</div></b>'],
  ['an item that the next one ends', '<ul><li>a<li>b</ul>'],
  ['a definition that the next one ends', '<dl><dt>a<dd>b</dl>'],
  ['an item in a block of an item', '<ul><li><div><li>a</li></div></ul>'],
  ['a link in a link', '<a href=x>a<a href=y>b</a>'],
  ['a heading in a heading', '<h1>a<h2>b</h2></h1>'],
  ['text in a table', '<table>a<tr><td>b</table>'],
  ['a table in a paragraph', '<p><table></table>'],
  ['a cell that the next one ends', '<table><tr><td>a<td>b</td></tr></table>'],
  ['a row that the end of its table ends', '<table><tr><td>a</td></table>'],
  ['a cell without a row', '<table><tbody><td>a</table>'],
  ['a row without a table', '<p>a<tr>b'],
  ['a form in a form', '<form><div><form></form></div></form>'],
  ['an attribute twice', '<p id=a id=b>c'],
  ['an empty comment', '<!-->a-->'],
  ['a comment in a script', '<script><!-- <script> </script> --></script>'],
  ['text after the page', 'a</body></html>b'],
  ['a second body', '<p>a<body class=b>'],
  ['a template', '<template><td>a</template>'],
  ['a select element', '<select><option>a<option>b</select>'],
  ['a deep page', `${'<div>'.repeat(300)}a${'</div>'.repeat(300)}`],
  ['HTML in SVG', '<svg><p>a</svg>'],
  ['an end tag in SVG', '<svg></p></svg>'],
  ['a character that starts no tag', 'a <3 b'],
])('leaves %s to parse5', (_, body) => {
  expect(readTidy(page(body))).toBeNull()
})

test.each(['', 'a', '<p>a', '<html><body>a', '<html><head><p>a</head><body>', '<html><head>\n'])(
  'leaves %j, which is no complete page, to parse5',
  (html) => {
    expect(readTidy(html)).toBeNull()
  },
)

const names = `a b p div span ul ol li dl dt dd table caption colgroup col thead tbody tr td th pre h1 h2 form button section
  address blockquote textarea title script style svg path g option select img br hr object em code x-y noscript`
const pieces = [
  ...names.split(/\s+/).flatMap((name) => [`<${name}>`, `</${name}>`, `<${name} id="x" class='y z' />`]),
  ...['text', ' ', '\n', '&amp;', '&', '&#32;', '&#10;', '&nbsp', '&notit;', '😀', '\u00a0', '<', '>', '"'],
  ...[
    '<!-- c -->',
    '<!--',
    '-->',
    '<!doctype html>',
    '<?xml?>',
    '<![CDATA[x]]>',
    '</3>',
    '</body>',
    '</html>',
    '<body>',
  ],
  ...[
    '<P ID=a>',
    '</P >',
    '<p a="&lt=">',
    '<p a="&copy">',
    '<p a = "1">',
    '<p a="',
    '<a xlink:href=x __proto__=y>',
    '<p constructor>',
  ],
]

/** Returns whether one pass read it. */
function compare(html: string): boolean {
  const reported = readTidy(html)
  if (reported !== null) expect(reported).toEqual(readByParse5(html))
  return reported !== null
}

const nesting = `a b code span p p div section address h1 h2 ul li li dl dt dd table caption colgroup thead tbody tr td th pre form
  button object svg g`
const { tree } = fc.letrec<{ tree: string }>((tie) => ({
  tree: fc.oneof(
    { maxDepth: 5 },
    { weight: 8, arbitrary: fc.constantFrom('text', ' ', '<hr>', '<br>', '<img>', '&amp;', '<!-- c -->') },
    { weight: 1, arbitrary: fc.constantFrom(...pieces) },
    {
      weight: 16,
      arbitrary: fc
        .tuple(
          fc.constantFrom(...nesting.split(/\s+/)),
          fc.array(tie('tree'), { maxLength: 3 }),
          fc.integer({ min: 0, max: 4 }),
        )
        .map(([name, parts, end]) => `<${name}>${parts.join('')}${end === 0 ? '' : `</${name}>`}`),
    },
  ),
}))

test('reports any page as parse5 does, or leaves it to parse5', () => {
  const parts = fc.array(tree, { maxLength: 3 }).map((each) => each.join(''))
  let tidyPages = 0
  fc.assert(
    fc.property(parts, fc.boolean(), (body, isXhtml) => {
      tidyPages += Number(compare((isXhtml ? '<?xml?>' : '') + page(body)))
    }),
    { numRuns: 20_000 },
  )
  expect(tidyPages).toBeGreaterThan(5_000)
})

test('reports a changed page as parse5 does, or leaves it to parse5', () => {
  const complete = page(Object.values(tidy).join('\n'))
  expect(readTidy(complete)).not.toBeNull()
  const place = fc.nat({ max: complete.length })
  const change = fc.tuple(place, fc.nat({ max: 12 }), fc.oneof(fc.constant(''), fc.constantFrom(...pieces)))
  fc.assert(
    fc.property(change, ([at, removed, added]) => {
      compare(complete.slice(0, at) + added + complete.slice(at + removed))
    }),
    { numRuns: 3_000 },
  )
})
