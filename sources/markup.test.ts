// Markdown files whose first heading is the project's banner, not the page's title.
import { expect, test } from 'vitest'
import { extractMarkdownFile } from './markup.ts'

const address = (path: string) => `https://git.example.org/tide/line/blob/main/${path}`
const banner =
  '<h1 align="center">Tideline</h1>\n\n## Hooks\n\nRun at the turn.\n\n### onTurn\n\nEbb, then flood.\n'

test('a page below a banner in HTML is named after its own heading', () => {
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
])('the first heading of %s stays its title', (_, path, text) => {
  expect(extractMarkdownFile(text, address(path)).title).toBe('Tideline')
})
