// Markdown as nodes: a streamed text gives the same nodes as the complete text.
import { readdirSync, readFileSync } from 'node:fs'
import fc from 'fast-check'
import { lexer } from 'marked'
import type { VNode } from 'preact'
import { expect, test } from 'vitest'
import { CodeBlock } from './copy.tsx'
import { createMarkdownReader } from './markdown.tsx'
import { readBlocks } from './markdown-blocks.ts'
import { Citation } from './sources.tsx'
import type { Source } from './turn.ts'

/** Converts elements to lists: name, attributes, children. Calls components, as far as these tests need them. */
function toLists(child: unknown): unknown {
  if (Array.isArray(child)) return child.map(toLists)
  if (typeof child !== 'object' || child === null) return child
  const { type, props } = child as VNode<{ children?: unknown; [name: string]: unknown }>
  if (type === Citation) {
    const { number, source } = props as unknown as Parameters<typeof Citation>[0]
    return ['cite', { href: source.url }, String(number)]
  }
  if (type === CodeBlock) return ['pre', {}, ['code', {}, props.text]]
  if (typeof type === 'function') return toLists((type as (given: object) => unknown)(props))
  const { children = [], tabIndex, ...attributes } = props
  const flat = [children].flat(9).map(toLists)
  return [type, attributes, ...flat]
}

const shown = (elements: unknown) => JSON.parse(JSON.stringify(toLists(elements)))
const render = (text: string, sources: Source[] = []) => shown(createMarkdownReader()(text, sources))
const source = { title: 'One', url: 'https://docs.example.org/1', quote: '' }

const pieces = [
  'word ',
  '\n',
  '\n\n',
  '- a',
  '\n  b',
  '1. c',
  '```\n',
  '`d`',
  '**e**',
  '> f',
  '# g\n',
  '| h | i |\n',
  '|---|---|\n',
  '    ',
  '[1]',
  '<b>',
  '---\n',
  '\r\n',
]

test('reads a streamed text like the complete text', () => {
  fc.assert(
    fc.property(fc.array(fc.constantFrom(...pieces), { maxLength: 60, size: 'max' }), (list) => {
      const toNodes = createMarkdownReader()
      const sources: Source[] = []
      let text = ''
      for (const piece of list) {
        text += piece
        toNodes(text, sources)
      }
      expect(shown(toNodes(text, sources))).toEqual(render(text, sources))
    }),
    { numRuns: 300 },
  )
})

test('keeps the nodes of finished blocks', () => {
  const toNodes = createMarkdownReader()
  const sources: Source[] = []
  const [first] = toNodes('One.\n\nTwo.\n\nThree.\n\n', sources)
  expect(toNodes('One.\n\nTwo.\n\nThree.\n\nFour.', sources)[0]).toBe(first)
  expect(toNodes('One.\n\nTwo.\n\nThree.\n\nFour.', [source])[0]).not.toBe(first)
})

test.each([
  ['Use it [1].', ['p', {}, 'Use it ', ['cite', {}, '1'], '.']],
  ['Use it [2] or a[0].', ['p', {}, 'Use it ', '[2]', ' or a', '[0]', '.']],
  ['It is [1][1].', ['p', {}, 'It is ', ['cite', {}, '1'], ' ', ['cite', {}, '1'], '.']],
  ['Read m[i][1].', ['p', {}, 'Read m[i]', ['cite', {}, '1'], '.']],
  ['Read a[x][10] or a[1][2].', ['p', {}, 'Read a[x]', '[10]', ' or a', ['cite', {}, '1'], '', '[2]', '.']],
  ['[1]: https://evil.example/\n\n', ['p', {}, '', ['cite', {}, '1'], ': https://evil.example/']],
  ['&lt;b&gt; &amp;lt; &#60; &#x3c; &nosuch;', ['p', {}, '<b> &lt; < < &nosuch;']],
  ['`&lt; [1]`', ['p', {}, ['code', {}, '&lt; [1]']]],
  ['<b onclick=x>hi</b>', ['p', {}, '<b onclick=x>hi</b>']],
  ['![alt](https://evil.example/x.png)', ['p', {}, 'alt']],
  ['[a](https://docs.example.org/x)', ['p', {}, ['a', { href: 'https://docs.example.org/x' }, 'a']]],
  ['[a](javascript:x) [b](//evil.example) [c](data:,x)', ['p', {}, 'a', ' ', 'b', ' ', 'c']],
])('%j', (text, expected) => {
  const plain = (node: unknown): unknown => {
    if (!Array.isArray(node)) return node
    const [name, { href }, ...children] = node
    return [name, name === 'a' && href ? { href } : {}, ...children.map(plain)]
  }
  expect(plain(render(text, [source])[0])).toEqual(expected)
})

test.each([
  [
    'a *b* **c** ***d*** ~~e~~ _f_ g_h_i',
    'a <em>b</em> <strong>c</strong> <em><strong>d</strong></em> <del>e</del> <em>f</em> g_h_i',
  ],
  ['2 * 3 * 4, **open, *a **b** c*', '2 * 3 * 4, **open, <em>a <strong>b</strong> c</em>'],
  ['``a ` b`` `c', '<code>a ` b</code> `c'],
  ['a  \nb\\\nc\nd', 'a<br></br>b<br></br>c\nd'],
  ['\\*a\\* \\[1]', '*a* [1]'],
  [
    '[a [b](https://docs.example.org/) c](https://docs.example.org/)',
    '[a <a>b</a> c](https://docs.example.org/)',
  ],
  ['[**a** `b`](<https://docs.example.org/x y> "t")', '<strong>a</strong> <code>b</code>'],
  ['<https://docs.example.org/> <me@example.org>', '<a>https://docs.example.org/</a> me@example.org'],
])('inline: %j', (text, expected) => {
  expect(toHtml(render(text, [source])[0]).slice(3, -4)).toBe(expected)
})

test.each([
  ['- a\n  b\n- c\n  1. d\n  2. e', '<ul><li>a\nb</li><li>c<ol><li>d</li><li>e</li></ol></li></ul>'],
  ['- a\n\n- b', '<ul><li><p>a</p></li><li><p>b</p></li></ul>'],
  ['- [x] a\n- [ ] b', '<ul><li>☑ a</li><li>☐ b</li></ul>'],
  [
    '1. a\n\n   ```\n   \tb\n   ```\n2. c',
    '<ol><li><p>a</p><pre><code>\tb</code></pre></li><li><p>c</p></li></ol>',
  ],
  ['> a\nb\n> - c\n\nd', '<blockquote><p>a\nb</p><ul><li>c</li></ul></blockquote><p>d</p>'],
  ['a\n===\nb\n---\n***\n## c ##', '<h4>a</h4><h5>b</h5><hr></hr><h5>c</h5>'],
  ['~~~js\n\n```\n  a\n', '<pre><code>\n```\n  a\n</code></pre>'],
  ['    a\n\n      b\nc', '<pre><code>a\n\n  b</code></pre><p>c</p>'],
  [
    '|a|`b\\|c`|\n|-|:-:|\n|1|\n\nd',
    '<div><table><thead><tr><th>a</th><th><code>b|c</code></th></tr></thead><tbody><tr><td>1</td><td></td></tr></tbody></table></div><p>d</p>',
  ],
  ['a\n2. b\n1. c', '<p>a\n2. b</p><ol><li>c</li></ol>'],
])('blocks: %j', (text, expected) => {
  expect(render(text).map(toHtml).join('')).toBe(expected)
})

/** Omits attributes. */
function toHtml(node: unknown): string {
  if (!Array.isArray(node)) return String(node ?? '')
  const [name, , ...children] = node
  return `<${name}>${children.map(toHtml).join('')}</${name}>`
}

const manual = new URL('../../manual/', import.meta.url)

test.each(readdirSync(manual).filter((name) => name.endsWith('.md')))(
  'finds the same blocks in %s as marked',
  (name) => {
    const text = readFileSync(new URL(name, manual), 'utf8')
    const types: Record<string, string> = { blockquote: 'quote', hr: 'rule', html: 'paragraph' }
    const expected = lexer(text).filter(({ type }) => type !== 'space')
    expect(readBlocks(text.split('\n')).map(({ block }) => block.type)).toEqual(
      expected.map(({ type }) => types[type] ?? type),
    )
  },
)

test('reads patterns repeated a thousand times in one pass', () => {
  const shapes = [
    '*a ',
    '_a',
    '[',
    '![a](',
    '](',
    '`a',
    '<',
    '~~',
    '**a *b ',
    '\\',
    '[a](b "',
    '| a ',
    '- ',
    '1) ',
    '> a\n',
    '\t- a\n',
  ]
  for (const shape of shapes) {
    const text = shape.repeat(Math.floor(29_000 / shape.length))
    expect(render(text).length).toBeGreaterThan(0)
  }
})

test('shows text that would be too long or too deep to parse unchanged', () => {
  const long = 'a'.repeat(40_000)
  expect(render(long)).toEqual([['p', { class: 'as-is' }, long]])
  const deep = '> '.repeat(10_000)
  expect(JSON.stringify(render(deep))).toContain('as-is')
})
