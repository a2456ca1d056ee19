import markdownIt from 'markdown-it'
import { expect, it } from 'vitest'
import type { Block } from '../../crawler/extract/page.ts'
import { toUnitTexts } from '../index/unit-texts.ts'
import { readPassageText, toInline, toMarkdown, toPassageText } from './passage.ts'

const blocks: Block[] = [
  { kind: 'paragraph', text: 'Open a file.\nRead it.' },
  { kind: 'code', text: 'with open(f) as file:\n\n    file.read()  # ```' },
  { kind: 'list', text: '- one\n- two' },
  { kind: 'table', text: 'Mode | Meaning\nr | reading' },
  { kind: 'code', text: 'x' },
]
const [unit] = toUnitTexts(blocks)

it('writes code in fences that it cannot close, and reads the blocks back', () => {
  const shown = toPassageText(unit!)
  expect(shown).toContain('\n\n````\nwith open(f) as file:\n\n    file.read()  # ```\n````\n\n- one')
  expect(readPassageText(shown)).toEqual(blocks)
})

it('returns text without code unchanged', () => {
  expect(toPassageText({ text: 'Other text' })).toBe('Other text')
})

it('marks inline code, and writes code that is a whole block as a block', () => {
  const [unit] = toUnitTexts([
    { kind: 'paragraph', text: 'Run a`b/x.', code: [4, 7] },
    { kind: 'list', text: '- -q', code: [2, 4] },
    { kind: 'paragraph', text: 'all', code: [0, 3] },
  ])
  expect(unit!.text).toBe('Run a`b/x.\n\n- -q\n\nall')
  expect(toPassageText(unit!)).toBe('Run ``a`b``/x.\n\n- `-q`\n\n```\nall\n```')
})

it('keeps the positions of code when a long block is split', () => {
  const words = 'word '.repeat(500)
  const units = toUnitTexts([{ kind: 'paragraph', text: `${words}end. run it ${words}`, code: [2505, 2508] }])
  expect(units.map(toPassageText).filter((text) => text.includes('`'))).toHaveLength(1)
  expect(units.map(toPassageText).join(' ')).toContain('end. `run` it')
})

it('reads an unclosed fence to the end, and no blocks from an empty text', () => {
  expect(readPassageText('Run:\n\n```\nmake\n\nmake install')).toEqual([
    { kind: 'paragraph', text: 'Run:' },
    { kind: 'code', text: 'make\n\nmake install' },
  ])
  expect(readPassageText('')).toEqual([])
})

it('marks a passage from the middle of a section', () => {
  expect(toPassageText({ text: 'More words.', continues: true })).toBe('…\n\nMore words.')
})

it.each([
  [
    'empty cells, and a row of one cell',
    'Mode | Meaning | Since\nr | reading |\nModes for writing\nw |  | 3',
    [
      '| Mode | Meaning | Since |',
      '| --- | --- | --- |',
      '| r | reading |  |',
      '| Modes for writing |  |  |',
      '| w |  | 3 |',
    ],
  ],
  [
    'empty first cells',
    '| Read | Write\nadmin | yes | yes\n|  | no\n| | none',
    ['|  | Read | Write |', '| --- | --- | --- |', '| admin | yes | yes |', '|  |  | no |', '|  |  | none |'],
  ],
])('reads and writes a table with %s', (_, text, lines) => {
  const [table] = readPassageText(text)
  expect(table).toEqual({ kind: 'table', text })
  expect(toMarkdown(table!).split('\n')).toEqual(lines)
})

it('reads a table whose only cells are the first and the last', () => {
  expect(readPassageText('r |\n| w')).toEqual([{ kind: 'table', text: 'r |\n| w' }])
})

it('recognizes a list by its items if the passage starts within one', () => {
  expect(readPassageText('…\n\nthe rest of one.\n- two').at(-1)).toEqual({
    kind: 'list',
    text: 'the rest of one.\n- two',
  })
})

it.each([
  '5. Other',
  '12) Other',
  '1984',
  '# a',
  '- a',
  '+ a',
  '> a',
  '~~~',
  '*a* _b_ [c]',
  'a\\b',
  '&amp; <b>',
])('writes %s as Markdown that renders as the same text', (text) => {
  const escaped = text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')
  expect(markdownIt().render(toInline(text))).toBe(`<p>${escaped}</p>\n`)
  expect(markdownIt().renderInline(`**${toInline(text)}**`)).toBe(`<strong>${escaped}</strong>`)
})
