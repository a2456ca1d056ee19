import { expect, test } from 'vitest'
import type { Block, Section } from '../../crawler/extract/page.ts'
import { toEntries, toParts } from './parts.ts'

function section(heading: string, blocks: Block[], anchor: string | null = heading): Section {
  return { kind: 'heading', heading, anchor, path: ['Above'], blocks }
}

const words = (length: number): Block => ({ kind: 'paragraph', text: 'word '.repeat(length / 5).trim() })

test('keeps a short document in one part', () => {
  const parts = toParts([section('', [words(50)], null), { ...section('A', []), place: { page: 2 } }])
  expect(parts).toEqual([
    [
      { names: [], depth: 1, blocks: [words(50)], place: {} },
      { names: [{ heading: 'A', anchor: 'A' }], depth: 1, blocks: [], place: { page: 2 } },
    ],
  ])
  expect(toEntries(parts)).toEqual([])
})

test('has one part for a document without text', () => {
  expect(toParts([])).toEqual([[]])
})

test.each([
  ['one long block', [section('A', [words(1_000_000)])]],
  [
    'many blocks',
    [
      section(
        'A',
        Array.from({ length: 100_000 }, () => words(10)),
      ),
    ],
  ],
  ['many sections', Array.from({ length: 20_000 }, (_, at) => section(`H${at}`, [words(100)]))],
  [
    'many names',
    [
      { ...section('A', []), also: [{ heading: 'B', anchor: 'b' }] },
      ...Array.from({ length: 9_000 }, () => section('', [], null)),
    ],
  ],
])('%s: loses nothing, and bounds every part', (_, sections) => {
  const parts = toParts(sections)
  expect(parts.length).toBeGreaterThan(1)
  const textOf = (all: { blocks: { text: string }[] }[]) =>
    all
      .flatMap(({ blocks }) => blocks.map(({ text }) => text))
      .join('')
      .replace(/\s/g, '')
  expect(textOf(parts.flat())).toBe(textOf(sections))
  for (const part of parts) {
    expect(part.length).toBeLessThanOrEqual(2_000)
    expect(textOf(part).length).toBeLessThanOrEqual(200_000)
    expect(part.flatMap(({ blocks }) => blocks).length).toBeLessThanOrEqual(2_000)
  }
  const names = sections.flatMap(({ heading, anchor, also = [] }) => [{ heading, anchor }, ...also])
  expect(parts.flat().flatMap(({ names }) => names)).toEqual(names.filter(({ heading }) => heading !== ''))
})

test('lists sections of further parts with their part number, at most 1,000', () => {
  const parts = toParts([
    section('A', [words(190_000)]),
    section('B', [words(190_000)], 'b'),
    section('C', [words(50_000)], null),
    section('D', [words(190_000)]),
  ])
  expect(toEntries(parts)).toEqual([
    { heading: 'B', anchor: 'b', part: 2 },
    { heading: 'D', anchor: 'D', part: 3 },
  ])
  const many = Array.from({ length: 20_000 }, (_, at) => section(`H${at}`, [words(100)]))
  expect(toEntries(toParts(many))).toHaveLength(1_000)
})
