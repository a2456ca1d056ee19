import { expect, test } from 'vitest'
import type { Unit } from '../index/search-index.ts'
import { phraseShare } from './phrase.ts'

const unit = (headingTerms: string, bodyTerms: string) => ({ headingTerms, bodyTerms }) as Unit

test.each([
  ['side by side', 'create a new table now', ['new', 'table'], 1],
  ['with the other terms of a word between', 'asyncio.run asyncio run call', ['asyncio.run', 'call'], 1],
  ['too far apart', 'new one two three four five table', ['new', 'table'], 0],
  ['in another order', 'table new', ['new', 'table'], 0],
  ['at its second place', 'new one two three four five six new table', ['new', 'table'], 1],
  ['at the end', 'the new', ['new', 'table'], 0],
])('words %s', (_, body, phrase, share) => {
  expect(phraseShare([phrase], unit('heading', body))).toBe(share)
})

test('a heading counts too; the share is that of the phrases held', () => {
  expect(
    phraseShare(
      [
        ['new', 'table'],
        ['other', 'thing'],
      ],
      unit('new table', 'body'),
    ),
  ).toBe(0.5)
})

test('a megabyte of the first word is read once', () => {
  const text = 'new '.repeat(250_000)
  expect(
    phraseShare(
      [
        ['new', 'table'],
        ['new', 'new', 'table'],
      ],
      unit('', text),
    ),
  ).toBe(0)
})

test('of a first word that comes without end, a hundred places are looked at', () => {
  const share = (before: number) =>
    phraseShare([['new', 'table']], unit('', `${'new one two three four five '.repeat(before)}new table`))
  expect([share(99), share(100)]).toEqual([1, 0])
})
