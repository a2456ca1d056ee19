import { expect, test } from 'vitest'
import type { Passage, Passages } from '../search/passage.ts'
import type { ChatMessage } from '../store/chat.ts'
import type { Review } from './review.ts'
import { contextualize, type RetrievalMode, searchInRounds } from './review.ts'

const passage = (unit: string, score: number) => ({ unit, score, title: unit }) as unknown as Passage

/** Query → what it finds, best first. Answerable is what scores half. */
async function search(mode: RetrievalMode, finds: Record<string, Passage[]>, wordings = Object.keys(finds)) {
  const rounds: number[] = []
  const passages = async ({ q }: { q: string }): Promise<Passages> => ({
    ...{ q, corrections: [] },
    passages: finds[q] ?? [],
    words: [],
    unknownWords: [],
    units: 100,
    model: null,
  })
  const review = async (_question: string, _language: string, { passages }: Passages): Promise<Review> => {
    const probability = passages[0]?.score ?? 0
    return { verdict: probability >= 0.5 ? 'answerable' : 'refused', probability, passages }
  }
  const request = { project: 'p', pageUrl: null, docVersion: null, language: null, sourceTypes: null }
  const found = await searchInRounds(
    { wordings, language: 'en', mode },
    request,
    { passages, review },
    (round) => rounds.push(round),
  )
  return { ...found, rounds, units: found.review.passages.map(({ unit }) => unit) }
}

test('one round is enough where it finds enough', async () => {
  const { queries, rounds, units } = await search('auto', {
    first: [passage('a', 1)],
    other: [passage('b', 1)],
  })
  expect([queries, rounds, units]).toEqual([['first'], [1], ['a']])
})

test('another wording may find what the first did not', async () => {
  const found = await search('auto', { first: [passage('a', 0.1)], other: [passage('b', 1)], third: [] })
  expect([found.queries, found.question, found.units]).toEqual([['first', 'other'], 'other', ['b']])
})

test('where all are refused, the first wording counts', async () => {
  const { question, review } = await search('auto', {
    first: [passage('a', 0.2)],
    other: [passage('b', 0.3)],
  })
  expect([question, review.verdict]).toEqual(['first', 'refused'])
})

test('instant takes the first round as it is', async () => {
  const { queries, review } = await search('instant', { first: [], other: [passage('b', 1)] })
  expect([queries, review.verdict]).toEqual([['first'], 'refused'])
})

test('reasoning adds what further rounds find, behind what is as good', async () => {
  const finds = {
    first: [passage('a', 1), passage('b', 0.6)],
    other: [passage('b', 1), passage('c', 0.9)],
    'first (a)': [passage('d', 0.7)],
  }
  const { queries, units } = await search('think', finds, ['first', 'other'])
  expect(queries).toEqual(['first', 'other', 'first (a)'])
  expect(units).toEqual(['a', 'c', 'b', 'd'])
})

const first = 'How do I set a timeout for a subprocess?'

/** Questions, each answered: one that begins with `!` was refused. */
function conversation(questions: string[]): ChatMessage[] {
  return questions.flatMap((content) => [
    { role: 'user', content } as ChatMessage,
    { role: 'assistant', sources: content[0] === '!' ? [] : [{}] } as ChatMessage,
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
