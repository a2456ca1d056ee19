import { afterAll, beforeAll, expect, test } from 'vitest'
import { quotePassages } from '../model/extractive/extractive.ts'
import type { ModelPassage } from '../model/model.ts'
import { checkAnswer } from './check-answer.ts'
import { openEvidence } from './evidence-client.ts'

const passages: ModelPassage[] = [
  {
    label: 1,
    title: 'Retries',
    url: 'https://docs.example.org/retries',
    text: 'A failed request is retried three times. The pause between two tries is 4 seconds.',
  },
]

let evidence: Awaited<ReturnType<typeof openEvidence>>
beforeAll(async () => {
  evidence = await openEvidence((error) => {
    throw error
  })
})
afterAll(() => evidence.close())

test('the thread says what the functions say', async () => {
  const question = 'How often is a failed request retried?'
  const quoted = await evidence.quote(question, passages)
  expect(quoted).toContain('retried three times')
  expect(quoted).toBe(quotePassages(question, passages))
  const draft = 'It is retried three times [1]. The pause is 9 seconds [1].'
  expect(await evidence.checkAnswer(draft, passages)).toEqual(checkAnswer(draft, passages))
})
