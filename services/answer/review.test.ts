import { describe, expect, it } from 'vitest'
import type { Passage, Passages } from '../search/passage.ts'
import { review } from './review.ts'

const passage = (at: number, other: Partial<Passage> = {}): Passage => ({
  unit: `p${at}:1:0`,
  page: `p${at}`,
  url: `https://x.org/p${at}.html#a`,
  pageTitle: `Page ${at}`,
  title: `Section ${at}`,
  path: [],
  text: 'Tasks run side by side.',
  contentHash: '',
  score: 0.8 - at / 100,
  coverage: 0.9,
  similarity: null,
  ...other,
})
const found = (passages: Passage[], unknownWords: string[] = []): Passages => ({
  passages,
  unknownWords,
})
const verdict = (question: string, passages: Passages) => review(question, passages).verdict

describe('review', () => {
  it('chooses the best passages that are worth it, within the budget', () => {
    const many = Array.from({ length: 20 }, (_, at) => passage(at))
    expect(review('How do tasks run?', found(many))).toEqual({
      verdict: 'answerable',
      passages: many.slice(0, 8),
    })
    const long = many.map((each) => ({ ...each, text: 'x'.repeat(5_000) }))
    expect(review('How do tasks run?', found(long))).toMatchObject({ passages: long.slice(0, 2) })
    const huge = [passage(0, { text: 'x'.repeat(50_000) })]
    expect(review('How do tasks run?', found(huge))).toMatchObject({ passages: huge })
    const poor = [passage(0), passage(1, { score: 0.2 })]
    expect(review('How do tasks run?', found(poor))).toMatchObject({ passages: [poor[0]] })
  })

  it('refuses with the nearest sections, each once', () => {
    expect(review('Why?', found([]))).toEqual({
      verdict: 'refused',
      reason: 'nothing was found',
      nearest: [],
    })
    const weak = [0, 1, 1, 2, 3].map((at) => passage(at, { score: 0.05, coverage: 0.2 }))
    expect(review('Why?', found(weak))).toEqual({
      verdict: 'refused',
      reason: expect.stringMatching(/too little/),
      nearest: [0, 1, 2].map((at) => ({ title: `Section ${at}`, url: `https://x.org/p${at}.html#a` })),
    })
  })

  it('asks the words, not the cosines, where there are vectors', () => {
    const near = { score: 0.6, similarity: 0.8 }
    expect(verdict('Why?', found([passage(0, { ...near, coverage: 0.1 })]))).toBe('refused')
    expect(
      verdict('Why?', found([passage(0, { ...near, coverage: 0.1 }), passage(1, { coverage: 0.5 })])),
    ).toBe('answerable')
  })

  it('refuses what names an unknown thing, unless it looks like a slip', () => {
    const weak = found([passage(0, { score: 0.3, coverage: 0.5 })], ['frobnicator'])
    expect(review('How does the frobnicator run?', weak)).toMatchObject({
      reason: 'no page holds frobnicator',
    })
    expect(verdict('How do taskss run?', found([passage(0)], ['taskss']))).toBe('answerable')
  })

  it('refuses a short question of which no good passage holds most', () => {
    const half = found([passage(0, { score: 0.3, coverage: 0.6 })])
    expect(verdict('What is the capital of France?', half)).toBe('refused')
    expect(verdict('How do I write a capital letter with an accent in France?', half)).toBe('answerable')
    const most = found([passage(0, { score: 0.3, coverage: 0.7, text: 'The capital of France.' })])
    expect(verdict('What is the capital of France?', most)).toBe('answerable')
  })

  it('refuses a question whose one word of its own is said by the way', () => {
    const ask = (text: string, title = 'Politeness') =>
      verdict(
        'What does Frob cost?',
        found([passage(0, { text, title }), passage(1, { text: 'Frob runs.' })]),
      )
    expect(ask('An unchanged page costs Frob little.')).toBe('refused')
    expect(ask('Frob costs nothing. What would it cost?')).toBe('answerable')
    expect(ask('Frob is free.', 'Costs')).toBe('answerable')
  })

  it('takes an identifier for the subject wherever it stands', () => {
    const manual = [0, 1, 2].map((at) => passage(at, { text: 'What it means is told here.', coverage: 0.5 }))
    const table = passage(3, { text: 'Meaning: HARBOR_PAGE_LIMIT is the number of pages.', coverage: 0.9 })
    expect(verdict('What does HARBOR_PAGE_LIMIT mean?', found([table, ...manual]))).toBe('answerable')
    expect(verdict('What does HARBOR_PAGE_LIMIT mean?', found(manual))).toBe('refused')
  })

  it('puts what is about the software that is named first', () => {
    const [other, one] = [passage(0), passage(1, { title: 'Behind nginx' })]
    expect(review('How do I run it behind nginx?', found([other, one]))).toMatchObject({
      passages: [one, other],
    })
  })

  it('refuses what is about other software that is only mentioned', () => {
    const mentions = passage(0, { text: 'Tasks run side by side, as in Celery or numpy.', coverage: 0.6 })
    expect(verdict('How do I run a numpy task?', found([mentions]))).toBe('refused')
    expect(verdict('How do I run a Celery task?', found([mentions]))).toBe('refused')
    expect(verdict('How do I run a celery task?', found([mentions]))).toBe('answerable')
    expect(verdict('How do I run a numpy task?', found([{ ...mentions, coverage: 0.8 }]))).toBe('answerable')
    expect(
      verdict(
        'How do I run a numpy task?',
        found([{ ...mentions, text: 'Run it. For numpy:\n\n```\nrun\n```' }]),
      ),
    ).toBe('answerable')
    expect(verdict('Can tasks react to events?', found([mentions]))).toBe('answerable')
    expect(verdict('How do I run a numpy task?', found([passage(0, { path: ['Tasks of NumPy'] })]))).toBe(
      'answerable',
    )
    expect(
      verdict('How do I run a numpy task?', found([passage(0, { text: 'numpy, numpy and numpy' })])),
    ).toBe('answerable')
  })

  it.each([
    ['How deep is the marmot burrow?', 'The marmot burrow is four metres deep.'],
    ['Is the marmot burrow deep?', 'The marmot burrow is four metres deep.'],
    ['How much memory does the build need?', 'The build needs four gigabytes of memory.'],
    ['How many gigabytes does the build need?', 'The build needs four gigabytes of memory.'],
    ['How long does a rollback take?', 'A rollback returns to an earlier entry and takes under a minute.'],
    [
      'How many engineers make Quillon?',
      'The Quillon guild, a cooperative of forty engineers, makes Quillon.',
    ],
    ['How often are backups pruned?', 'Backups older than ninety days are pruned by the janitor.'],
    ['How long are archives kept?', 'Archives older than ninety days are pruned by the janitor.'],
    ['How large may a payload be?', 'A payload is at most 512 kilobytes large.'],
    ['What is the maximum length of a ledger name?', 'Size limits: a ledger name has 48 letters.'],
  ])('answers %s where the page says it, however weakly it was found', (question, text) => {
    const stated = passage(0, { text, score: 0.22, coverage: 0.33 })
    const other = passage(1, { text: 'Quillon runs tasks.', score: 0.2, coverage: 0.1 })
    expect(verdict(question, found([stated, other]))).toBe('answerable')
    expect(verdict(question, found([other]))).toBe('refused')
  })
})
