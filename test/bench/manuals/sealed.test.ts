import { expect, test } from 'vitest'
import { judge, seal } from './sealed.ts'

const keys = new Set(['a.html', 'a.html#one', 'a.html#two', 'b.html'])
const labeled = [
  { question: 'What is one?', pages: ['a.html#one', 'b.html'] },
  { question: 'What is ten?', pages: [] },
]

test('judges a sealed manual by the labels that were sealed', () => {
  expect(judge(seal(labeled, keys, 'salt'), keys)).toEqual({
    questions: [{ id: expect.any(String), question: 'What is one?', pages: ['a.html#one', 'b.html'] }],
    unanswerable: [{ id: expect.any(String), question: 'What is ten?' }],
  })
})

test('a sealed file reveals neither labels nor which questions have none', () => {
  const { questions } = seal(labeled, keys, 'salt')
  expect(questions.flatMap(({ hashes }) => hashes)).toEqual(Array(3).fill(expect.stringMatching(/^\w{64}$/)))
})

test('the hash of a label depends on the question and the salt', () => {
  const hashOf = (question: string, salt: string) =>
    seal([{ question, pages: ['b.html'] }], keys, salt).questions[0]!.hashes[0]
  expect(new Set([hashOf('One?', 'salt'), hashOf('Two?', 'salt'), hashOf('One?', 'other')]).size).toBe(3)
})

test('rejects a label that matches nothing', () => {
  expect(() => seal([{ question: 'One?', pages: ['a.html#three'] }], keys, 'salt')).toThrow(
    'has no a.html#three',
  )
})

test('rejects labels of another state of the manual', () => {
  const sealed = seal(labeled, keys, 'salt')
  expect(() => judge(sealed, new Set(['a.html#one']))).toThrow('another state')
})
