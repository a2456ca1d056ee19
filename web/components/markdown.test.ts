// Markdown as nodes: read as it streams in, it comes to what it comes to when it is read at once.
import fc from 'fast-check'
import type { VNode } from 'preact'
import { expect, test } from 'vitest'
import { CodeBlock } from './copy.tsx'
import { createMarkdownReader } from './markdown.tsx'
import { Citation } from './sources.tsx'
import type { Source } from './turn.ts'

/** Elements as lists: name, attributes, children. Components are called, as far as these tests need them. */
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

test('a text that streams in is read as the whole text', () => {
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

test('blocks that are settled stay the nodes that they were', () => {
  const toNodes = createMarkdownReader()
  const sources: Source[] = []
  const [first] = toNodes('One.\n\nTwo.\n\nThree.\n\n', sources)
  expect(toNodes('One.\n\nTwo.\n\nThree.\n\nFour.', sources)[0]).toBe(first)
  expect(toNodes('One.\n\nTwo.\n\nThree.\n\nFour.', [source])[0]).not.toBe(first)
})

test.each([
  ['Use it [1].', ['p', {}, 'Use it ', ['cite', {}, '1'], '.']],
  ['Use it [2] or a[0].', ['p', {}, 'Use it ', '[2]', ' or a', '[0]', '.']],
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

test('what would take too long or too deep is shown as it is', () => {
  const long = 'a'.repeat(40_000)
  expect(render(long)).toEqual([['p', { class: 'as-is' }, long]])
  const deep = '> '.repeat(10_000)
  expect(JSON.stringify(render(deep))).toContain('as-is')
})
