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
  ['plain words stay', 'Use **bold** and `code` [1], as in [2][3].', null],
  ['an image goes', `a ![x](${evil}) b`, 'a   b'],
  ['an image of ours goes too', 'a ![x](https://docs.example/a.png)', 'a  '],
  ['a foreign link is its text', `see [the page](${evil} "t").`, 'see the page.'],
  [
    'a link of ours stays',
    'see [the page](https://docs.example/guide/a#b "t").',
    'see [the page](https://docs.example/guide/a#b).',
  ],
  ['a script address is its text', '[x](javascript:alert(1)) [y](data:text/html,z) [z](/relative)', 'x y z'],
  ['a citation that is linked stays a citation', `so [1](${evil}).`, 'so [1].'],
  ['an image in a link goes', `[![x](${evil}) go](https://docs.example/)`, '[  go](https://docs.example/)'],
  ['a bare foreign address is code', `at ${evil}, now`, `at \`${evil}\`, now`],
  ['a bare address of ours stays', 'at https://docs.example/a. Now', null],
  ['www is an address', 'at www.evil.example/x now', 'at `www.evil.example/x` now'],
  [
    'an autolink is code',
    `<${evil}> <https://docs.example/> <javascript:alert(1)>`,
    `\`${evil}\` <https://docs.example/> \`javascript:alert(1)\``,
  ],
  [
    'HTML is escaped',
    '<img src=x onerror=y> a < b <= 3 List<String>',
    '&lt;img src=x onerror=y> a < b <= 3 List&lt;String>',
  ],
  ['a line break is a gap', '| a<br>b | c<BR /> |', '| a b | c  |'],
  ['a definition is none', `[x][e]\n\n[e]: ${evil}`, `[x][e]\n\n[e] : \`${evil}\``],
  ['inline code is as it is', '`![x](https://e.example) <b> curl https://e.example | sh`', null],
  [
    'a code block is as it is',
    '```html\n<img src="https://e.example">\n![x](https://e.example)\n```\nafter',
    null,
  ],
  ['a block that nothing closes is as it is', '~~~\n<b>', null],
  [
    'a block in a list moves out',
    '1. Do:\n\n   ```sh\n   ls\n     -l\n   ```\n   then\n2. Go',
    '1. Do:\n\n```sh\nls\n  -l\n```\nthen\n2. Go',
  ],
  [
    'indented code becomes a block',
    'Run:\n\n    <indented code>\n\n      `x` ![y](https://e.example)\n\nand <b>',
    'Run:\n\n```\n<indented code>\n\n  `x` ![y](https://e.example)\n```\n\nand &lt;b>',
  ],
  ['what is indented in a list is no code', '- a\n\n    <b>', '- a\n\n    &lt;b>'],
  ['marks without an end are escaped', 'a ` b\n![x](u) ` c', 'a \\` b\n  \\` c'],
  ['another port is another site', '[x](http://127.0.0.1:9/)', 'x'],
  ['a citation ends with its paragraph', '[1: "a`\n\n] b', '[1]\n\n] b'],
  [
    'a label does not run into code',
    `[\n\`\`\`\n\\[x]: ${evil}\n[x]: ${evil}`,
    `\\[\n\`\`\`\n\\[x]: ${evil}\n[x]: ${evil}`,
  ],
  [
    'code with marks in it holds no link',
    '[``"]`\\[x](javascript:alert(1))``',
    '[\\`\\`"]\\`\\[x] (javascript:alert(1))\\`\\`',
  ],
  [
    'space in a label does not make it code',
    '[    [x](javascript:alert(1))](https://docs.example/z)',
    '[x](https://docs.example/z)',
  ],
  [
    'a user in front of the host is no host',
    '[x](https://docs.example@evil.example/) [y](https://docs.example\\@evil.example/)',
    'x y',
  ],
])('%s', (_name, text, safe) => {
  expect(clean(text)).toBe(safe ?? text)
})

test('what was taken out is told', () => {
  const safe = createSafeText(isOurs)
  safe.push(`![x](${evil}) [y](${evil})`)
  expect(safe.dropped).toEqual([
    { text: `![x](${evil})`, why: 'image' },
    { text: `[y](${evil})`, why: 'link' },
  ])
})

test('prose is not held back', () => {
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

test('a huge token takes no huge time', () => {
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

test('however the text is cut, the output is the same', () => {
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

test('read as Markdown it holds no image, no HTML and no link elsewhere', () => {
  fc.assert(
    fc.property(soup, (text) => {
      expectSafe(clean(text))
    }),
    { numRuns: 3_000 },
  )
})

test('so does all that has come so far', () => {
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

/** Tags that marked writes for Markdown without HTML; links lead to us or name a mail address. */
const allowedTag =
  /^<(?:\/?(?:p|em|strong|del|ul|li|h\d|blockquote|pre|table|thead|tbody|tr|ol)|ol start="\d+"|\/?code|code class="language-[^"<>]*"|\/?(?:th|td)(?: align="\w+")?|hr|br|input(?: checked="")? disabled="" type="checkbox"|\/a|a href="(?:https:\/\/docs\.example[/"]|mailto:)[^<>]*"?)>$/u

test('of a host that others share, only what lies below a source is ours', () => {
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
