// Two of the parser's rules are changed: content is reported as often as it occurs, whatever its length.
import { expect, test } from 'vitest'
import { visitHtml } from './html-tree.ts'

/** Returns names of the elements in the body, in order. */
function elementsOf(html: string): string[] {
  const names: string[] = []
  visitHtml(html, { open: (name) => names.push(name), close() {}, text() {}, comment() {} })
  return names.slice(names.indexOf('body') + 1)
}

test('does not repeat unclosed formatting of a paragraph in later ones', () => {
  const fonts = Array.from({ length: 40 }, (_, at) => `<font size=${at}>`).join('')
  expect(elementsOf(`<p>${fonts}</p>${'<p>x</p>'.repeat(40)}`)).toHaveLength(1 + 40 + 40)
})

test('reports a self-closing element once in XHTML, whether it is empty in HTML or not', () => {
  expect(
    elementsOf('<?xml version="1.0"?><p>a<br/><i/>b<img src="x"/><svg><path/></svg></p><hr/><p/>'),
  ).toEqual(['p', 'br', 'i', 'img', 'svg', 'path', 'hr', 'p'])
})
