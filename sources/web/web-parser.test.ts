// Markdown and plain text give the same kind of page as HTML.
import { expect, test } from 'vitest'
import { webParser } from './web-parser.ts'

const parse = (text: string, url: string, contentType: string) =>
  webParser.parse({ url, body: Buffer.from(text), contentType })

test('reads Markdown: headings without anchors, code verbatim, lists and tables', async () => {
  const source =
    '# Install\n\nIntro\nline.\n\n## Steps ##\n\n- one\n- two\n\n```sh\n# not a heading\n  run\n```\n\n| a | b |\n|---|---|\n| 1 | 2 |\n'
  const page = await parse(source, 'https://docs.example.org/install.md', 'text/markdown; charset=utf-8')
  expect(page.title).toBe('Install')
  expect(page.sections.map(({ anchor }) => anchor)).toEqual([null, null])
  expect(page.sections.map(({ heading, path, blocks }) => [heading, path, blocks])).toEqual([
    ['Install', [], [{ kind: 'paragraph', text: 'Intro line.' }]],
    [
      'Steps',
      [],
      [
        { kind: 'list', text: '- one\n- two' },
        { kind: 'code', text: '# not a heading\n  run' },
        { kind: 'table', text: 'a | b\n1 | 2' },
      ],
    ],
  ])
})

test('does not use a heading that is too long as a title', async () => {
  const page = await parse(`# ${'word '.repeat(1_000)}`, 'https://docs.example.org/a.md', 'text/markdown')
  expect(page.title).toBe('a.md')
})

test('reads too deeply nested Markdown as plain text', async () => {
  const page = await parse(
    `${'>'.repeat(20_000)} deep`,
    'https://docs.example.org/deep.md',
    'text/x-markdown',
  )
  expect(page.title).toBe('deep.md')
  expect(page.sections[0]?.blocks[0]?.text).toContain('deep')
})

test('reads plain text as paragraphs, titled with the name of the file', async () => {
  const page = await parse('One\nline.\n\n# two', 'https://docs.example.org/notes.txt', 'text/plain')
  expect(page.title).toBe('notes.txt')
  expect(page.sections[0]?.blocks.map(({ text }) => text)).toEqual(['One line.', '# two'])
})
