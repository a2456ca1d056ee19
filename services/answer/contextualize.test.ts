import { expect, test } from 'vitest'
import type { ChatMessage } from '../store/chat.ts'
import { toReply } from './replies.ts'
import { contextualize } from './search-rounds.ts'

const first = 'How do I set a timeout for a subprocess?'

/** Questions, each answered: one that begins with `!` was refused. */
function conversation(questions: string[]): ChatMessage[] {
  return questions.flatMap((content) => [
    { role: 'user', content } as ChatMessage,
    {
      role: 'assistant',
      content: content[0] === '!' ? toReply('refused', [], 'it') : 'So.',
    } as ChatMessage,
  ])
}

test.each(['And for threads?', 'How do I kill it?', 'What about Windows?', 'Why?', 'Und unter Windows?'])(
  '%s hangs on the question before',
  (question) => {
    expect(contextualize(question, conversation([first]), 'auto')[0]).toBe(`${question} (${first})`)
  },
)

test('a question with words of its own goes first as it is', () => {
  const question = 'How do I read a CSV file with a header row?'
  expect(contextualize(question, conversation([first]), 'auto')).toEqual([question, `${question} (${first})`])
})

test('a first question stays, and with instant any', () => {
  expect(contextualize('And for threads?', [], 'auto')).toEqual(['And for threads?'])
  expect(contextualize('And for threads?', conversation([first]), 'instant')).toEqual(['And for threads?'])
})

test('a question that was refused has led nowhere', () => {
  const before = conversation([first, '! How do I bake a cake?'])
  expect(contextualize('How do I kill it?', before, 'auto')[0]).toBe(`How do I kill it? (${first})`)
})
