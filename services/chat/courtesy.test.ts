import { expect, test } from 'vitest'
import { toCourtesy } from './courtesy.ts'

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
