import { expect, test } from 'vitest'
import { inOtherWords } from './other-words.ts'

test.each([
  ['How do I kill a long running query?', 'terminate cancel long running query'],
  ['How do I get rid of old chats?', 'delete remove old chats'],
  ['My table is too big, how do I free up space', 'table size reclaim reduce space'],
])('%s', (question, query) => {
  expect(inOtherWords(question)?.query).toBe(query)
})

test('names what it does without', () => {
  expect(inOtherWords('what if the server crashes')?.replaced).toEqual(['crashes'])
})

test('a question in the words of documentation has no other wording', () => {
  expect(inOtherWords('How do I create an index concurrently?')).toBeNull()
})
