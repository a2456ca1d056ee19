import { expect, test } from 'vitest'
import { judge, seal } from './sealed.ts'

const texts = new Map([
  ['a.html', 'oneis1.twois2.'],
  ['a.html#one', 'oneis1.'],
  ['a.html#two', 'twois2.'],
  ['b.html', 'oneisnotzero.'],
])
const keys = new Set(texts.keys())
const labeled = [
  { question: 'What is one?', pages: ['a.html#one', 'b.html'], phrases: ['one is 1', 'Not zero'] },
  { question: 'What is ten?', pages: [] },
]

test('judges a sealed manual by the labels that were sealed', () => {
  expect(judge(seal(labeled, texts, 'salt'), keys)).toEqual({
    questions: [
      {
        id: expect.any(String),
        question: 'What is one?',
        pages: ['a.html#one', 'b.html'],
        holds: expect.any(Function),
      },
    ],
    unanswerable: [{ id: expect.any(String), question: 'What is ten?' }],
  })
})

test.each([
  ['oneis1.', true],
  ['well,itisnotzero', true],
  ['oneis2.', false],
  ['', false],
])('judges by the phrases that were sealed whether a text answers: %s', (plain, holds) => {
  expect(judge(seal(labeled, texts, 'salt'), keys).questions[0]!.holds!(plain)).toBe(holds)
})

test('phrases are optional', () => {
  const sealed = seal([{ question: 'What is one?', pages: ['b.html'] }], texts, 'salt')
  expect(judge(sealed, keys).questions[0]!.holds).toBeUndefined()
})

test('a sealed file reveals neither labels nor which questions have none', () => {
  const { questions } = seal(labeled, texts, 'salt')
  const hash = expect.stringMatching(/^\w{64}$/)
  expect(questions.flatMap(({ hashes }) => hashes)).toEqual(Array(3).fill(hash))
  expect(questions.flatMap(({ phrases }) => phrases)).toEqual(
    Array(3).fill({ length: expect.any(Number), hash }),
  )
})

test('the hash of a label depends on the question and the salt', () => {
  const hashOf = (question: string, salt: string) =>
    seal([{ question, pages: ['b.html'] }], texts, salt).questions[0]!.hashes[0]
  expect(new Set([hashOf('One?', 'salt'), hashOf('Two?', 'salt'), hashOf('One?', 'other')]).size).toBe(3)
})

test.each([
  ['a label that matches nothing', { pages: ['a.html#three'] }, 'has no a.html#three'],
  ['a phrase that no labeled section has', { pages: ['b.html'], phrases: ['two is 2'] }, 'has twois2'],
])('rejects %s', (_, labels, message) => {
  expect(() => seal([{ question: 'One?', ...labels }], texts, 'salt')).toThrow(message)
})

test('rejects labels of another state of the manual', () => {
  const sealed = seal(labeled, texts, 'salt')
  expect(() => judge(sealed, new Set(['a.html#one']))).toThrow('another state')
})
