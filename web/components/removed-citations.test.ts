import { expect, test } from 'vitest'
import { removedCitations } from './removed-citations.ts'
import { createTurn, takeFrame } from './turn.ts'

test.each([
  ['It is so [1]. It is not [2].', 'It is so [1]. It is not.', 2, ['It is not']],
  ['It is so [3][1]. It is not [2].', 'It is so [1]. It is not [2].', 2, []],
  [
    '- One [1]\n- Two [^9] is 【7】 three [1, 2].',
    '- One\n- Two is three.',
    4,
    ['One', 'Two', 'Two is', 'Two is three'],
  ],
  ['Use `a[1]` [2].\n\n```\nx[3]\n```\n', 'Use `a[1]`.\n\n```\nx[3]\n```\n\nA note.', 1, ['Use `a[1]`']],
  ['Nothing is cited.', 'Nothing is cited.\n\nSee also:', 0, []],
  ['A draft [1].', 'Another text [1].', 1, []],
])('lists the citations removed from %j, checked as %j', (draft, answer, total, sentences) => {
  expect(removedCitations(draft, answer)).toEqual({ total, sentences })
})

test('lists what was removed from the draft when a turn ends', () => {
  const draft = takeFrame(createTurn('q', 'r'), { from: 'ai', message: 'So [1]. Not [2].', isPartial: true })
  expect(takeFrame(draft, { from: 'ai', message: 'So [1]. Not.', isPartial: false })).toMatchObject({
    citations: { total: 2, sentences: ['Not'] },
  })
})
