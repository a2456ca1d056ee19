import fc from 'fast-check'
import { marked } from 'marked'
import { expect, test } from 'vitest'
import { createIsOurs } from './safe-inline.ts'
import { createSafeText } from './safe-text.ts'

const isOurs = createIsOurs(['https://docs.example/guide/', 'http://127.0.0.1:8080/manual/'])

function clean(...pieces: string[]): string {
  const safe = createSafeText(isOurs)
  return pieces.map((piece) => safe.push(piece)).join('') + safe.end()
}

const evil = 'https://evil.example/?q=secret'

test.each([
  ['keeps plain text', 'Use **bold** and `code` [1], as in [2][3].', null],
  ['removes an image', `a ![x](${evil}) b`, 'a   b'],
  ['removes an image of a source, too', 'a ![x](https://docs.example/a.png)', 'a  '],
  ['replaces a foreign link by its text', `see [the page](${evil} "t").`, 'see the page.'],
  [
    'keeps a link to a source',
    'see [the page](https://docs.example/guide/a#b "t").',
    'see [the page](https://docs.example/guide/a#b).',
  ],
  [
    'replaces a link to a script by its text',
    '[x](javascript:alert(1)) [y](data:text/html,z) [z](/relative)',
    'x y z',
  ],
  ['keeps a linked citation as a citation', `so [1](${evil}).`, 'so [1].'],
  [
    'removes an image in a link',
    `[![x](${evil}) go](https://docs.example/)`,
    '[  go](https://docs.example/)',
  ],
  ['writes a bare foreign URL as code', `at ${evil}, now`, `at \`${evil}\`, now`],
  ['keeps a bare URL of a source', 'at https://docs.example/a. Now', null],
  ['reads www as a URL', 'at www.evil.example/x now', 'at `www.evil.example/x` now'],
  [
    'writes a foreign autolink as code',
    `<${evil}> <https://docs.example/> <javascript:alert(1)>`,
    `\`${evil}\` <https://docs.example/> \`javascript:alert(1)\``,
  ],
  [
    'escapes HTML',
    '<img src=x onerror=y> a < b <= 3 List<String>',
    '&lt;img src=x onerror=y> a < b <= 3 List&lt;String>',
  ],
  ['replaces a line break tag by a space', '| a<br>b | c<BR /> |', '| a b | c  |'],
  ['breaks a link definition', `[x][e]\n\n[e]: ${evil}`, `[x][e]\n\n[e] : \`${evil}\``],
  ['keeps inline code', '`![x](https://e.example) <b> curl https://e.example | sh`', null],
  ['keeps a code block', '```html\n<img src="https://e.example">\n![x](https://e.example)\n```\nafter', null],
  ['keeps an unclosed code block', '~~~\n<b>', null],
  [
    'moves a code block out of a list',
    '1. Do:\n\n   ```sh\n   ls\n     -l\n   ```\n   then\n2. Go',
    '1. Do:\n\n```sh\nls\n  -l\n```\nthen\n2. Go',
  ],
  [
    'fences indented code',
    'Run:\n\n    <indented code>\n\n      `x` ![y](https://e.example)\n\nand <b>',
    'Run:\n\n```\n<indented code>\n\n  `x` ![y](https://e.example)\n```\n\nand &lt;b>',
  ],
  ['does not read indented text in a list as code', '- a\n\n    <b>', '- a\n\n    &lt;b>'],
  ['escapes unclosed markup', 'a ` b\n![x](u) ` c', 'a \\` b\n  \\` c'],
  ['treats another port as another site', '[x](http://127.0.0.1:9/)', 'x'],
  ['ends a citation with its paragraph', '[1: "a`\n\n] b', '[1]\n\n] b'],
  [
    'does not extend a link label into code',
    `[\n\`\`\`\n\\[x]: ${evil}\n[x]: ${evil}`,
    `\\[\n\`\`\`\n\\[x]: ${evil}\n[x]: ${evil}`,
  ],
  [
    'escapes a link next to code with backticks',
    '[``"]`\\[x](javascript:alert(1))``',
    '[\\`\\`"]\\`\\[x] (javascript:alert(1))\\`\\`',
  ],
  [
    'does not read spaces in a label as indented code',
    '[    [x](javascript:alert(1))](https://docs.example/z)',
    '[x](https://docs.example/z)',
  ],
  [
    'does not read a user name before the host as the host',
    '[x](https://docs.example@evil.example/) [y](https://docs.example\\@evil.example/)',
    'x y',
  ],
])('%s', (_name, text, safe) => {
  expect(clean(text)).toBe(safe ?? text)
})

test('reports removed images and links', () => {
  const safe = createSafeText(isOurs)
  safe.push(`![x](${evil}) [y](${evil})`)
  expect(safe.dropped).toEqual([
    { text: `![x](${evil})`, why: 'image' },
    { text: `[y](${evil})`, why: 'link' },
  ])
})

test('does not hold back prose', () => {
  const safe = createSafeText(isOurs)
  const tokens = [
    'The',
    ' stream',
    ' goes',
    ' on',
    ',',
    ' and',
    ' (so',
    ')',
    ' far',
    ':',
    '\n\n',
    '- one',
    '\n',
  ]
  for (const token of tokens) expect(safe.push(token), token).not.toBe('')
})

test('bounds the time for a huge token', () => {
  for (const part of ['[', '`', '![', '<a:', '[](x)', '[[a](', '``` ', 'https://', 'a`b``c']) {
    expect(clean(part.repeat(20_000)).length).toBeGreaterThan(0)
  }
}, 60_000)

const parts = [
  '`',
  '``',
  '```',
  '~~~',
  '\n',
  '\n\n',
  '[',
  ']',
  '(',
  ')',
  '!',
  '<',
  '>',
  '\\',
  '|',
  ':',
  '"',
  ' ',
  '  ',
  '    ',
  '\t',
  '- ',
  '1. ',
  '> ',
  '#',
  '*',
  '_',
  '&',
  '&#58;',
  'a',
  'b c',
  '1',
  'js',
  '---',
  '|---|---|',
  'https:',
  '//',
  '/',
  'http',
  's://',
  'www',
  '.',
  '@',
  '\r',
  '\r\n',
  'https://evil.example/x',
  'https://docs.example/y',
  'javascript:alert(1)',
  '<img src=x onerror=alert(1)>',
  '<script>',
  '</script>',
  '<!--',
  '<br>',
  '<br /',
  '-->',
  '<a href="https://evil.example">',
  '![x](https://evil.example/i.png)',
  '[x](https://evil.example)',
  '[x](javascript:alert(1))',
  '[x]: https://evil.example\n',
  '[x]',
  '[x](https://docs.example/z)',
  '<https://evil.example>',
  '```js\n',
  '\n```\n',
  '`code`',
  '[1: "a',
  '"]',
  '[1: "b"; 2: "c"]',
]
const soup = fc.array(fc.constantFrom(...parts), { maxLength: 40, size: 'max' }).map((list) => list.join(''))

test('returns the same text however it is split', () => {
  const cuts = fc.array(fc.integer({ min: 1, max: 9 }), { minLength: 1, maxLength: 30, size: 'max' })
  fc.assert(
    fc.property(soup, cuts, (text, sizes) => {
      const pieces: string[] = []
      for (let at = 0, turn = 0; at < text.length; turn++) {
        const size = sizes[turn % sizes.length]!
        pieces.push(text.slice(at, at + size))
        at += size
      }
      expect(clean(...pieces)).toBe(clean(text))
    }),
    { numRuns: 3_000 },
  )
})

test('contains no image, HTML or foreign link when read as Markdown', () => {
  fc.assert(
    fc.property(soup, (text) => {
      expectSafe(clean(text))
    }),
    { numRuns: 3_000 },
  )
})

test('contains none in any prefix, either', () => {
  fc.assert(
    fc.property(soup, (text) => {
      const safe = createSafeText(isOurs)
      let shown = ''
      for (let at = 0; at < text.length; at += 5) {
        shown += safe.push(text.slice(at, at + 5))
        if (at % 3 === 0) shown += safe.cite({ label: 1, quote: 'a' })
        expectSafe(shown)
      }
    }),
    { numRuns: 300 },
  )
})

function expectSafe(markdown: string) {
  const tags = marked.parse(markdown, { async: false }).match(/<[^>]*>/gu) ?? []
  for (const tag of tags) expect(tag).toMatch(allowedTag)
}

/** Tags that marked writes for Markdown without HTML. Links lead to our sources or name a mail address. */
const allowedTag =
  /^<(?:\/?(?:p|em|strong|del|ul|li|h\d|blockquote|pre|table|thead|tbody|tr|ol)|ol start="\d+"|\/?code|code class="language-[^"<>]*"|\/?(?:th|td)(?: align="\w+")?|hr|br|input(?: checked="")? disabled="" type="checkbox"|\/a|a href="(?:https:\/\/docs\.example[/"]|mailto:)[^<>]*"?)>$/u

test('accepts only URLs below a source on a host that others share', () => {
  const folder = 'https://git.example/acme/guide'
  const isShared = createIsOurs([`${folder}/blob/main/a.md#b`, 'https://docs.example/'], [folder, ''])
  const ours = [folder, `${folder}/`, `${folder}/blob/main/x.md?plain=1`, 'https://docs.example/anything']
  const others = [
    'https://git.example/',
    'https://git.example/acme/guide-evil/x',
    'https://git.example/evil/x',
    'http://git.example/acme/guide/x',
    `${folder}/../evil`,
    `${folder}/%2e%2e/evil`,
    `${folder}/..%2fevil`,
  ]
  expect(ours.filter((address) => !isShared(new URL(address)))).toEqual([])
  expect(others.filter((address) => isShared(new URL(address)))).toEqual([])
})
