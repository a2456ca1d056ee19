// Markdown as nodes: read as it streams in, it comes to what it comes to when it is read at once.
import fc from 'fast-check'
import { Marked } from 'marked'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { createMarkdown } from '../demo/markdown.js'

/** An element as far as the page makes any, written as a list: name, attributes, children. */
function createElement(name: string) {
  const attributes: Record<string, string> = {}
  const children: unknown[] = []
  return {
    setAttribute: (key: string, value: string) => Object.assign(attributes, { [key]: value }),
    append: (...more: unknown[]) => children.push(...more),
    toJSON: () => [name, attributes, ...children],
  }
}
beforeAll(() => vi.stubGlobal('document', { createElement }))
afterAll(() => vi.unstubAllGlobals())

const shown = (nodes: unknown) => JSON.parse(JSON.stringify(nodes))
const render = (text: string, sources: object[] = []) => shown(createMarkdown(Marked)()(text, sources))
const source = { title: 'One', url: 'https://docs.example.org/1' }

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
      const toNodes = createMarkdown(Marked)()
      const sources: object[] = []
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
  const toNodes = createMarkdown(Marked)()
  const sources: object[] = []
  const [first] = toNodes('One.\n\nTwo.\n\nThree.\n\n', sources)
  expect(toNodes('One.\n\nTwo.\n\nThree.\n\nFour.', sources)[0]).toBe(first)
  expect(toNodes('One.\n\nTwo.\n\nThree.\n\nFour.', [source])[0]).not.toBe(first)
})

test.each([
  ['Use it [1].', ['p', {}, 'Use it ', ['a', { class: 'cite' }, '1'], '.']],
  ['Use it [2] or a[0].', ['p', {}, 'Use it ', '[2]', ' or a', '[0]', '.']],
  ['[1]: https://evil.example/\n\n', ['p', {}, '', ['a', { class: 'cite' }, '1'], ': https://evil.example/']],
  ['&lt;b&gt; &amp;lt; &#60; &#x3c; &nosuch;', ['p', {}, '<b> &lt; < < &nosuch;']],
  ['`&lt; [1]`', ['p', {}, ['code', {}, '&lt; [1]']]],
  ['<b onclick=x>hi</b>', ['p', {}, '<b onclick=x>hi</b>']],
  ['![alt](https://evil.example/x.png)', ['p', {}, 'alt']],
  ['[a](https://docs.example.org/x)', ['p', {}, ['a', { href: 'https://docs.example.org/x' }, 'a']]],
  ['[a](javascript:x) [b](//evil.example) [c](data:,x)', ['p', {}, 'a', ' ', 'b', ' ', 'c']],
])('%j', (text, expected) => {
  const plain = (node: unknown): unknown => {
    if (!Array.isArray(node)) return node
    const [name, { href, class: kind }, ...children] = node
    const told = kind === 'cite' ? { class: kind } : href ? { href } : {}
    return [name, told, ...children.map(plain)]
  }
  expect(plain(render(text, [source])[0])).toEqual(expected)
})

test('what would take too long or too deep is shown as it is', () => {
  const long = 'a'.repeat(40_000)
  expect(render(long)).toEqual([['p', { class: 'as-is' }, long]])
  const deep = '> '.repeat(10_000)
  expect(JSON.stringify(render(deep))).toContain('as-is')
})
