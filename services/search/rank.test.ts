import { expect, it, test } from 'vitest'
import { toUnit } from '../../test/contract/search-index.suite.ts'
import { analyzeJoined } from '../index/analyze.ts'
import type { Hit, Unit } from '../index/search-index.ts'
import { phraseShare, rank } from './rank.ts'
import { understand } from './understand.ts'
import type { Vocabulary } from './vocabulary.ts'

const words = ['apple', 'cherry', 'filler', 'melon', 'plum']
const vocabulary: Vocabulary = {
  units: 100,
  terms: words,
  counts: Uint32Array.of(5, 5, 50, 5, 5),
  inHeadings: new Uint32Array(words.length),
}
const query = understand('apple or cherry with melon', vocabulary, false)

function hit(page: string, ordinal: number, text: string, other: Partial<Unit> = {}): Hit {
  const unit = toUnit(ordinal, analyzeJoined(text), {
    page,
    id: `${page}:1:${ordinal}`,
    url: `https://x.org/${page}`,
    heading: '',
    pageTitle: '',
    path: [],
    titleTerms: '',
    headingTerms: '',
    text,
    boost: 1,
    ...other,
  })
  return { unit, score: 1 }
}

/** Each page starts with its first unit, if that is among the hits. */
function ranked(
  hits: Hit[],
  pageUrl: string | null = null,
  nearness?: (unit: string) => number,
  asked = query,
) {
  const first = hits.map(({ unit }) => unit).filter(({ ordinal }) => ordinal === 0)
  const openings = new Map(first.map((unit) => [unit.page, unit]))
  const nearest = nearness ? { others: [], similarity: () => null, nearness } : null
  return rank({ hits, openings, nearest, rest: [] }, asked, pageUrl)
}

const order = (...given: Parameters<typeof ranked>) => ranked(...given).map(({ hit }) => hit.unit.id)

it('prefers a section whose page has the rest of the question', () => {
  const alone = hit('alone', 1, 'apple filler')
  const beside = [
    hit('beside', 1, 'apple filler'),
    hit('beside', 2, 'cherry filler'),
    hit('beside', 3, 'melon'),
  ]
  expect(order([alone, ...beside]).at(-1)).toBe('alone:1:1')
})

it('does not prefer a page that repeats one word to one that has more words', () => {
  const repeats = [1, 2, 3, 4].map((ordinal) => hit('repeats', ordinal, 'apple'))
  const both = [hit('both', 1, 'apple'), hit('both', 2, 'cherry')]
  expect(order([...repeats, ...both])[0]).toBe('both:1:1')
})

it('prefers the best section of a page to the others', () => {
  expect(order([hit('page', 1, 'apple'), hit('page', 2, 'apple cherry')])[0]).toBe('page:1:2')
})

it('prefers the section with the words in its heading among equal sections of a page', () => {
  const called = { heading: 'Melon', headingTerms: 'melon' }
  const longer = hit('page', 1, 'apple apple melon melon melon melon')
  expect(order([longer, hit('page', 2, 'apple apple melon melon', called)])[0]).toBe('page:1:2')
})

it('prefers similar meaning if words are equal', () => {
  const hits = [hit('far', 1, 'apple'), hit('near', 1, 'apple')]
  expect(order(hits, null, (unit) => (unit === 'near:1:1' ? 1 : 0))[0]).toBe('near:1:1')
})

it("prefers a page that starts with the words, a boosted page, and the reader's own", () => {
  const opening = [hit('opens', 0, 'apple melon'), hit('opens', 1, 'apple')]
  expect(order([hit('later', 1, 'apple'), ...opening]).at(-1)).toBe('later:1:1')
  expect(order([hit('plain', 1, 'apple'), hit('boosted', 1, 'apple', { boost: 3 })])[0]).toBe('boosted:1:1')
  expect(order([hit('other', 1, 'apple'), hit('own', 1, 'apple')], 'https://x.org/own#part')[0]).toBe(
    'own:1:1',
  )
})

it('ranks explanations above lists, and text above a bare line', () => {
  expect(order([hit('hub', 1, 'apple', { listing: 1 }), hit('page', 1, 'apple')])[0]).toBe('page:1:1')
  const text = `apple ${'filler '.repeat(60)}`
  expect(order([hit('line', 1, 'apple'), hit('text', 1, `${text} apple apple`)])[0]).toBe('text:1:1')
})

it('ranks the explanation of a name above a list that mentions it as often', () => {
  const name = understand('melon plum', vocabulary, false)
  const hits = [hit('changes', 1, 'melon plum', { listing: 1 }), hit('guide', 1, 'melon plum filler')]
  expect(ranked(hits, null, undefined, name).map(({ hit }) => hit.unit.page)).toEqual(['guide', 'changes'])
  const faint = hit('changes', 1, 'filler melon', { listing: 1 })
  expect(ranked([faint], null, undefined, name)[0]!.score).toBe(0)
})

it('prefers sections early in their page only for questions of one word', () => {
  const hits = [hit('page', 1, 'apple filler'), hit('page', 9, `apple apple ${'filler '.repeat(30)}`)]
  const asked = understand('what is an apple?', vocabulary, false)
  expect(order(hits, null, undefined, asked)[0]).toBe('page:1:1')
  expect(order(hits)[0]).toBe('page:1:9')
})

it('prefers words close together to the same words apart', () => {
  const apart = `apple ${'filler '.repeat(60)} cherry`
  expect(order([hit('apart', 1, apart), hit('close', 1, `apple cherry ${'filler '.repeat(60)}`)])[0]).toBe(
    'close:1:1',
  )
})

it('returns no score below 0 or NaN, and the same order for any order of hits', () => {
  const hits = [hit('a', 1, ''), hit('b', 0, 'apple'), hit('c', 2, 'cherry melon'), hit('b', 3, 'plum')]
  const scores = ranked(hits).map(({ score }) => score)
  expect(scores.every((score) => score >= 0)).toBe(true)
  expect(order([...hits].reverse())).toEqual(order(hits))
})

it('orders equal sections of several pages the same way, whatever the order of the index', () => {
  const equal = ['c', 'a', 'd', 'b'].map((page) => hit(page, 1, 'apple'))
  expect(order(equal)).toEqual(['a:1:1', 'b:1:1', 'c:1:1', 'd:1:1'])
  expect(order(equal.toReversed())).toEqual(order(equal))
})

const unit = (headingTerms: string, bodyTerms: string) => ({ headingTerms, bodyTerms }) as Unit

test.each([
  ['side by side', 'create a new table now', ['new', 'table'], 1],
  ['with the other terms of a word between', 'asyncio.run asyncio run call', ['asyncio.run', 'call'], 1],
  ['too far apart', 'new one two three four five table', ['new', 'table'], 0],
  ['in another order', 'table new', ['new', 'table'], 0],
  ['at its second occurrence', 'new one two three four five six new table', ['new', 'table'], 1],
  ['at the end', 'the new', ['new', 'table'], 0],
])('words %s', (_, body, phrase, share) => {
  expect(phraseShare([phrase], unit('heading', body))).toBe(share)
})

test('counts headings, too, and returns the share of phrases found', () => {
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

test('reads a megabyte of the first word once', () => {
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

test('checks at most 100 occurrences of a frequent first word', () => {
  const share = (before: number) =>
    phraseShare([['new', 'table']], unit('', `${'new one two three four five '.repeat(before)}new table`))
  expect([share(99), share(100)]).toEqual([1, 0])
})

it('prefers the section of a qualified name to prose that has the name', () => {
  const asked = understand('Basket.apple', vocabulary, false)
  const prose = hit('prose', 1, 'melon Basket.apple cherry Basket.apple plum')
  const member = hit('member', 1, 'filler', {
    heading: 'apple(filler)',
    headingTerms: 'apple',
    pageTitle: 'Class Basket',
    kind: 'definition',
  })
  expect(order([prose, member], null, undefined, asked)[0]).toBe('member:1:1')
})
