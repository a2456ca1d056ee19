// Markdown files whose first heading is the project's banner and not the page's title, explicit anchors and comments of MDX, and
// includes of AsciiDoc files.
import { expect, test } from 'vitest'
import type { ExtractedPage } from '../crawler/extract/page.ts'
import { extractAsciidoc, extractMarkdownFile } from './markup.ts'

const address = (path: string) => `https://git.example.org/tide/line/blob/main/${path}`
const banner =
  '<h1 align="center">Tideline</h1>\n\n## Hooks\n\nRun at the turn.\n\n### onTurn\n\nEbb, then flood.\n'

const toTexts = (sections: ExtractedPage['sections']) =>
  sections.flatMap(({ blocks }) => blocks.map(({ text }) => text))

test('names a page after its own heading below a banner in HTML', () => {
  const page = extractMarkdownFile(banner, address('docs/Hooks.md'))
  expect(page.title).toBe('Hooks')
  expect(page.sections).toMatchObject([
    { heading: 'Hooks', anchor: 'hooks', path: [] },
    { heading: 'onTurn', anchor: 'onturn', path: [] },
  ])
})

test.each([
  ['a README', 'README.md', banner],
  ['a page with text below it', 'docs/hooks.md', banner.replace('\n\n##', '\n\nTides for all.\n\n##')],
  ['a heading in Markdown', 'docs/hooks.md', banner.replace(/.*/, '# Tideline')],
])('keeps the first heading of %s as its title', (_, path, text) => {
  expect(extractMarkdownFile(text, address(path)).title).toBe('Tideline')
})

test.each([
  ['## Spring tides {#spring}', 'spring'],
  ['## Spring tides [#spring]', 'spring'],
  ['## Spring tides {/*spring*/}', 'spring'],
  ['## Spring tides {/* #spring */}', 'spring'],
  ['## Spring tides {/* to be written */}', 'spring-tides'],
])('reads the explicit anchor of %s', (heading, anchor) => {
  for (const isMdx of [false, true])
    expect(
      extractMarkdownFile(`${heading}\n\nThey come twice a month.`, address('docs/a'), { isMdx }).sections,
    ).toMatchObject([{ heading: 'Spring tides', anchor }])
})

test.each([false, true])('leaves comments of MDX out of the text, and keeps those in code: %j', (isMdx) => {
  const text = [
    'import Ebb from "./ebb"\n\nEbb, {/* not\nyet */}then *flood* `{/*}`.\n',
    '```jsx\n<Tide>{/* ebb */}</Tide>\n```\n\n<Tide>\n{/* hidden */}\n</Tide>\n',
  ].join('\n')
  const page = extractMarkdownFile(isMdx ? text : text.slice(text.indexOf('Ebb,')), address('docs/a'), {
    isMdx,
  })
  expect(toTexts(page.sections)).toEqual(['Ebb, then flood {/*}.', '<Tide>{/* ebb */}</Tide>'])
})

test('leaves comments of several paragraphs out of MDX', () => {
  const text = 'Ebb.\n\n{/* not\n\nyet */}\n\nFlood.'
  const { sections } = extractMarkdownFile(text, address('docs/a.mdx'), { isMdx: true })
  expect(toTexts(sections)).toEqual(['Ebb.', 'Flood.'])
})

test('ignores the file names that AsciiDoc includes', async () => {
  const text = [
    '= Tideline\n\ninclude::partial$ebb.adoc[]\n\nEbb, then flood.\n',
    '[source]\n----\ninclude::example$flood.ts[tag=all]\nflood()\n----\n',
  ]
  const { sections } = await extractAsciidoc(text.join('\n'), address('docs/tide.adoc'))
  expect(toTexts(sections)).toEqual(['Ebb, then flood.', 'flood()'])
})

test('shows the text of AsciiDoc links whose address the file does not define', async () => {
  const text = [
    '= Tide',
    ':harbor: https://harbor.example',
    '',
    'See {url-guide}/moon.html[the *moon*], {harbor}/a[the harbor] and `{shore}[0]`.',
    '',
    '----',
    '{shore}[1]',
    '----',
  ]
  const { sections } = await extractAsciidoc(text.join('\n'), address('docs/tide.adoc'))
  expect(toTexts(sections)).toEqual(['See the moon, the harbor and {shore}[0].', '{shore}[1]'])
})
