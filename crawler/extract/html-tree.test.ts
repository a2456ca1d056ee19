// The parser's own rules are changed in two places: what a page shows is told as often as it stands there, whatever its length.
import { expect, test } from 'vitest'
import { visitHtml } from './html-tree.ts'

/** Names of the elements in the body, in their order. */
function elementsOf(html: string): string[] {
  const names: string[] = []
  visitHtml(html, { open: (name) => names.push(name), close() {}, text() {}, comment() {} })
  return names.slice(names.indexOf('body') + 1)
}

test('what colours a paragraph is not told again in those after it', () => {
  const fonts = Array.from({ length: 40 }, (_, at) => `<font size=${at}>`).join('')
  expect(elementsOf(`<p>${fonts}</p>${'<p>x</p>'.repeat(40)}`)).toHaveLength(1 + 40 + 40)
})

test('XHTML tells an empty element once, whether HTML knows it as empty or not', () => {
  expect(
    elementsOf('<?xml version="1.0"?><p>a<br/><i/>b<img src="x"/><svg><path/></svg></p><hr/><p/>'),
  ).toEqual(['p', 'br', 'i', 'img', 'svg', 'path', 'hr', 'p'])
})
