// What is read at one step comes to the tree that parse5's own tokenizer comes to.
import fc from 'fast-check'
import { type DefaultTreeAdapterMap, Parser, parse, serialize } from 'parse5'
import { expect, test } from 'vitest'
import { PageTokenizer } from './html-tokenizer.ts'

class PageParser extends Parser<DefaultTreeAdapterMap> {
  override tokenizer = new PageTokenizer(this.options, this)
}

function parseAtSteps(html: string) {
  const parser = new PageParser()
  parser.tokenizer.write(html, true)
  return parser.document
}

const names =
  'a b p div span ul li table tr td select option pre textarea title script style svg path math h1 br'
const pieces = [
  ...names.split(' ').flatMap((name) => [`<${name}>`, `</${name}>`, `<${name} id="x" class='y z'>`]),
  ...[
    '<p id="a" id="b">',
    '<p ID=a>',
    '<p a="&amp;">',
    '<p a="1"b="2">',
    '<p a = "1">',
    '<br/>',
    '<p a/>',
    '<P>',
    '</P >',
  ],
  ...[
    '<p a="',
    '<p a',
    '<p ',
    '</p',
    '</',
    '<',
    '"',
    '>',
    '/>',
    "<p a='x' b>",
    '<p\n\ta="1"\n>',
    '<a xlink:href="x">',
  ],
  ...['text', ' ', '\n', '\t text of words\n', '&amp;', '&', '&#32;', '&nbsp', '😀', '\u00a0', '\ufeff', 'é'],
  ...['<!-- comment -->', '<!--', '<!doctype html>', '<?xml version="1.0"?>', '<![CDATA[x]]>', '<3', '</3>'],
  ...[
    `<p ${'a b c d '.repeat(20)}>`,
    `<p ${Array.from({ length: 70 }, (_, at) => `a${at % 60}="${at}"`).join(' ')}>`,
  ],
  'a text that is longer than thirteen characters',
]

test('any page has the same tree', () => {
  const page = fc.array(fc.constantFrom(...pieces), { maxLength: 30 }).map((parts) => parts.join(''))
  fc.assert(
    fc.property(page, (html) => {
      expect(serialize(parseAtSteps(html))).toBe(serialize(parse(html)))
    }),
    { numRuns: 3_000 },
  )
})

test('a page that is longer than what parse5 keeps at once has the same tree', () => {
  const html =
    '<p class="x">Some text &amp; more of it, 😀.\n<b>bold</b> <i title="a b">and so on</i></p>\n'.repeat(
      4_000,
    )
  expect(serialize(parseAtSteps(html))).toBe(serialize(parse(html)))
})
