import { expect, test } from 'vitest'
import type { ChatMessage } from '../store/chat.ts'
import { contextualize } from './follow-up.ts'
import type { Language } from './replies.ts'

const first = 'How do I set a timeout for a subprocess?'

/** Questions, each answered, except that one starting with `!` was refused. */
function conversation(questions: string[]): ChatMessage[] {
  return questions.flatMap((content) => [
    { role: 'user', content } as ChatMessage,
    { role: 'assistant', sources: content[0] === '!' ? [] : [{}] } as ChatMessage,
  ])
}

const read = (question: string, language: Language = 'en', before = conversation([first])) =>
  contextualize(question, before, 'auto', language)

test.each([
  ['And for threads?', 'en'],
  ['and how do I run the tests of just one of them?', 'en'],
  ['How do I kill it?', 'en'],
  ['What about Windows?', 'en'],
  ['Why?', 'en'],
  ['On Windows?', 'en'],
  ['Can I set a header for that?', 'en'],
  ['Und unter Windows?', 'de'],
  ['Wie schalte ich es ab?', 'de'],
  ['Et sous Windows ?', 'fr'],
  ['Comment faire cela ?', 'fr'],
  ['¿Y en Windows?', 'es'],
  ['E su Windows?', 'it'],
  ['Como faço isso?', 'pt'],
  ['En op Windows?', 'nl'],
  ['それはどうやって止めますか？', 'ja'],
  ['那在Windows上呢？', 'zh'],
] as const)('%s (%s) depends on the previous question', (question, language) => {
  expect(read(question, language)).toEqual({ texts: [`${question} (${first})`, question], isOpen: true })
})

test.each([
  ['How do I read a CSV file with a header row?', 'en'],
  ['How do I copy a file and keep its permissions?', 'en'],
  ['git worktree', 'en'],
  ['What is vacuum?', 'en'],
  ['Comment créer la base de données ?', 'fr'],
  ['Wie lege ich das Verzeichnis an?', 'de'],
  ['如何创建索引？', 'zh'],
] as const)('%s (%s) is searched unchanged first', (question, language) => {
  expect(read(question, language).texts).toEqual([question, `${question} (${first})`])
})

test('treats a question with more than six words of its own as a new subject', () => {
  const question =
    'And how do I compress large log files every night without restarting the running server process?'
  expect(read(question)).toEqual({ texts: [question, `${question} (${first})`], isOpen: false })
})

test('leaves the first question unchanged, and in instant mode all questions', () => {
  const alone = { texts: ['And for threads?'], isOpen: false }
  expect(read('And for threads?', 'en', [])).toEqual(alone)
  expect(contextualize('And for threads?', conversation([first]), 'instant', 'en')).toEqual(alone)
})

test('ignores a refused question as context', () => {
  const before = conversation([first, '! How do I bake a cake?'])
  expect(read('How do I kill it?', 'en', before).texts[0]).toBe(`How do I kill it? (${first})`)
})
