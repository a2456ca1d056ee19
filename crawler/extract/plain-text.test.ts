// Markdown and plain text give the same kind of page as HTML.
import { expect, test } from 'vitest'
import { extractMarkdown, extractPlainText } from './plain-text.ts'

test('Markdown: headings, code verbatim, lists and tables', () => {
  const source =
    '# Install\n\nIntro\nline.\n\n## Steps ##\n\n- one\n- two\n\n```sh\n# not a heading\n  run\n```\n\n| a | b |\n|---|---|\n| 1 | 2 |\n'
  const page = extractMarkdown(source, 'https://docs.example.org/install.md')
  expect(page.title).toBe('Install')
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

test('plain text: paragraphs under the name of the file', () => {
  const page = extractPlainText('One\nline.\n\n# two', 'https://docs.example.org/notes.txt')
  expect(page.title).toBe('notes.txt')
  expect(page.sections[0]?.blocks.map(({ text }) => text)).toEqual(['One line.', '# two'])
})
