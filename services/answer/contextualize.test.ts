import { expect, test } from 'vitest'
import type { ChatMessage } from '../store/chat.ts'
import { contextualize } from './contextualize.ts'
import { toRefusal } from './refusal.ts'

/** A conversation of questions, each answered; `title` is of the section that the last answer cites. */
function conversation(questions: string[], title = 'Subprocess management'): ChatMessage[] {
  return questions.flatMap((content, at) => [
    message('user', content, at),
    { ...message('assistant', 'Like this [1].', at), sources: [{ title, url: 'https://docs.test/' }] },
  ])
}

function message(role: ChatMessage['role'], content: string, at: number): ChatMessage {
  return { role, content, position: 2 * at, sources: [] } as unknown as ChatMessage
}

const first = 'How do I set a timeout for a subprocess?'

test.each([
  [
    'what is replaced behind the same preposition goes',
    [first],
    'And for threads?',
    'And for threads? (set timeout)',
  ],
  [
    'a pronoun stands for the subject',
    [first],
    'How do I kill it?',
    'How do I kill it? (set timeout subprocess)',
  ],
  [
    'a subject lives on',
    [first, 'And for threads?'],
    'How do I kill it?',
    'How do I kill it? (threads set timeout)',
  ],
  ['what about', [first], 'What about Windows?', 'What about Windows? (set timeout subprocess)'],
  ['a few words', [first], 'on Windows?', 'on Windows? (set timeout subprocess)'],
  [
    'more of the same',
    [first],
    'Can you show me an example please?',
    'Can you show me an example please? (set timeout subprocess)',
  ],
  ['why', [first], 'Why?', 'Why? (set timeout subprocess)'],
  [
    'a thin subject takes the cited heading',
    ['asyncio'],
    'Is it thread-safe?',
    'Is it thread-safe? (asyncio Subprocess management)',
  ],
  ['a question with its own subject stays', [first], 'How do I read a CSV file with a header row?', null],
  ['a thing that is named is its own subject', [first], 'What is asyncio?', null],
  ['a first question stays', [], 'And for threads?', null],
])('%s', (_name, questions, question, query) => {
  expect(contextualize(question, conversation(questions), 'auto').query).toBe(query ?? question)
})

test('instant takes the question as it is', () => {
  const reading = contextualize('And for threads?', conversation([first]), 'instant')
  expect(reading).toEqual({ query: 'And for threads?', others: [], subject: [], cited: null })
})

test('a further round puts it in other words', () => {
  expect(contextualize('And for pooled threads?', conversation([first]), 'auto').others).toEqual([
    'pooled threads',
  ])
  expect(contextualize('What is asyncio?', conversation([first]), 'auto').others).toEqual([
    'What is asyncio? (set timeout subprocess)',
  ])
  expect(contextualize('What is asyncio?', [], 'auto').others).toEqual([])
})

test('a question that was refused leaves the subject as it was', () => {
  const refused = [message('user', 'How do I bake a cake?', 9), message('assistant', toRefusal([], 'en'), 9)]
  const { query } = contextualize('How do I kill it?', [...conversation([first]), ...refused], 'auto')
  expect(query).toBe('How do I kill it? (set timeout subprocess)')
})

test('a question that says next to nothing may lie in the sections that were cited', () => {
  const { cited, subject } = contextualize('How long is it valid?', conversation([first]), 'auto')
  expect(cited).toEqual({ query: first, urls: ['https://docs.test/'] })
  expect(subject.map(({ word }) => word)).toEqual(['set', 'timeout', 'subprocess'])
  expect(contextualize('Does it run on Kubernetes?', conversation([first]), 'auto').cited).toBeNull()
})

test('what has been talked about longer weighs more', () => {
  const { subject } = contextualize(
    'And for a table?',
    conversation(['What is autovacuum?', 'How do I turn it off?']),
    'auto',
  )
  const weights = new Map(subject.map(({ word, weight }) => [word, weight]))
  expect(weights.get('autovacuum')).toBeGreaterThan(weights.get('turn')!)
})
