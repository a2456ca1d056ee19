import { expect, it } from 'vitest'
import type { Block } from '../../crawler/extract/page.ts'
import { toPassages } from '../index/passages.ts'
import { readPassageText, toPassageText } from './passage.ts'

const blocks: Block[] = [
  { kind: 'paragraph', text: 'Open a file.\nRead it.' },
  { kind: 'code', text: 'with open(f) as file:\n\n    file.read()  # ```' },
  { kind: 'list', text: '- one\n- two' },
  { kind: 'table', text: 'Mode | Meaning\nr | reading' },
  { kind: 'code', text: 'x' },
]
const [unit] = toPassages(blocks)

it('sets code in fences that it cannot close, and reads the blocks back', () => {
  const shown = toPassageText(unit!)
  expect(shown).toContain('\n\n````\nwith open(f) as file:\n\n    file.read()  # ```\n````\n\n- one')
  expect(readPassageText(shown)).toEqual(blocks)
})

it('keeps a text without code as it is', () => {
  expect(toPassageText({ text: 'Other text' })).toBe('Other text')
})

it('reads a fence that nothing closes to the end, and nothing from nothing', () => {
  expect(readPassageText('Run:\n\n```\nmake\n\nmake install')).toEqual([
    { kind: 'paragraph', text: 'Run:' },
    { kind: 'code', text: 'make\n\nmake install' },
  ])
  expect(readPassageText('')).toEqual([])
})

it('marks what goes on in the middle of a section', () => {
  expect(toPassageText({ text: 'More words.', continues: true })).toBe('…\n\nMore words.')
})

it('knows a list by its items where the passage begins amid one', () => {
  expect(readPassageText('…\n\nthe rest of one.\n- two').at(-1)).toEqual({
    kind: 'list',
    text: 'the rest of one.\n- two',
  })
})
