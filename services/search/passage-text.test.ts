import { expect, it } from 'vitest'
import type { Block } from '../../crawler/extract/page.ts'
import type { PageContent } from '../store/page.ts'
import { readPassageText, toPassageText } from './passage-text.ts'

const blocks: Block[] = [
  { kind: 'paragraph', text: 'Open a file.\nRead it.' },
  { kind: 'code', text: 'with open(f) as file:\n\n    file.read()  # ```' },
  { kind: 'list', text: '- one\n- two' },
  { kind: 'table', text: 'Mode | Meaning\nr | reading' },
  { kind: 'code', text: 'x' },
]
const content = { sections: [{ blocks: [] }, { blocks }] } as unknown as PageContent
const text = blocks.map((block) => block.text).join('\n\n')

it('sets code in fences that it cannot close, and reads the blocks back', () => {
  const shown = toPassageText(content, 1, text)
  expect(shown).toContain('\n\n````\nwith open(f) as file:\n\n    file.read()  # ```\n````\n\n- one')
  expect(readPassageText(shown)).toEqual(blocks)
})

it('keeps the text of another version, and of a page that is gone, as it is', () => {
  expect(toPassageText(content, 1, 'Other text')).toBe('Other text')
  expect(toPassageText(content, 7, text)).toBe(text)
  expect(toPassageText(null, 1, text)).toBe(text)
})

it('reads a fence that nothing closes to the end, and nothing from nothing', () => {
  expect(readPassageText('Run:\n\n```\nmake\n\nmake install')).toEqual([
    { kind: 'paragraph', text: 'Run:' },
    { kind: 'code', text: 'make\n\nmake install' },
  ])
  expect(readPassageText('')).toEqual([])
})

it('marks what goes on in the middle of a section', () => {
  const long = { kind: 'paragraph' as const, text: 'Words of a long section. '.repeat(80).trim() }
  const page = {
    sections: [{ blocks: [long, { ...long, text: `More ${long.text}` }] }],
  } as unknown as PageContent
  expect(toPassageText(page, 0, long.text)).toBe(long.text)
  expect(toPassageText(page, 1, `More ${long.text}`)).toBe(`…\n\nMore ${long.text}`)
})
