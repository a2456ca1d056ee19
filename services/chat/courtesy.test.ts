import { expect, test } from 'vitest'
import { toCourtesy, withoutCourtesy } from './courtesy.ts'

test.each([
  ['Hi', 'Hello'],
  ['hello there!', 'Hello'],
  ['Good morning.', 'Hello'],
  ['Thanks!', 'welcome'],
  ['ok, thank you very much 🙂'.replace(' 🙂', ''), 'welcome'],
  ['Great, got it', 'welcome'],
])('%s', (message, answer) => {
  expect(toCourtesy(message)).toContain(answer)
})

test.each([
  '',
  '???',
  'hi, how do I start?',
  'thanks to what is it fast',
  'morning',
  'ok google',
  'hello world',
])('%s asks for something', (message) => {
  expect(toCourtesy(message)).toBeNull()
})

test.each([
  ['hi, what does X do, thanks', 'what does X do'],
  ['Hello there! How do I start? Thank you very much.', 'How do I start?'],
  ['thanks. and for threads?', 'and for threads?'],
  ['What is X, please?', 'What is X, please?'],
  ['hello world example', 'hello world example'],
  ['How do I say thanks to Bob', 'How do I say thanks to Bob'],
])('%s', (message, question) => {
  expect(withoutCourtesy(message)).toBe(question)
})
