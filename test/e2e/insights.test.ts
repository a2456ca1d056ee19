// Insights of a whole Lectern: what readers ask again and again, and what the documentation does not answer.
import { afterAll, beforeAll, expect, it } from 'vitest'
import { weightsSettings, withoutWeights } from '../model/weights.ts'
import { type Harbor, openHarbor } from './harbor.ts'
import { adminKey } from './lectern-process.ts'

const docs = '/api/v2/projects/harbor/'

async function ask({ lectern }: Harbor, message: string, fields: object = {}) {
  const { status } = await lectern.call('POST', `${docs}chats/`, { message, ...fields })
  expect(status).toBe(201)
}
const insights = async ({ lectern }: Harbor) => (await lectern.call('GET', `${docs}analytics/insights/`)).body

let harbor: Harbor
beforeAll(async () => {
  harbor = await openHarbor()
}, 60_000)
afterAll(() => harbor.close())

it('puts questions of the same words together, and leaves out what is no question', async () => {
  await ask(harbor, 'How do I install Harbor on Linux?')
  await ask(harbor, 'Installing Harbor on Linux')
  await ask(harbor, 'Which proxy does Harbor use?')
  for (const _ of [1, 2]) await ask(harbor, 'Thanks!')
  const football = '=Who won the football match last night?'
  await ask(harbor, football, { email: 'ann@example.org' })
  await harbor.lectern.call('GET', `${docs}search/?q=zzzyx`)

  const installing = {
    question: expect.stringContaining('Harbor on Linux'),
    count: 2,
    examples: expect.arrayContaining(['How do I install Harbor on Linux?', 'Installing Harbor on Linux']),
  }
  await expect
    .poll(async () => (await insights(harbor)).content_gaps, { timeout: 15_000 })
    .toContainEqual({ question: 'zzzyx', count: 1, examples: ['zzzyx'] })
  const told = await insights(harbor)
  expect(told.frequent_questions).toEqual([installing])
  expect(told.content_gaps).toContainEqual({ question: football, count: 1, examples: [football] })
  expect(told.content_gaps).not.toContainEqual(installing)

  const csv = await fetch(`${harbor.lectern.baseUrl}${docs}analytics/insights/`, {
    headers: { authorization: `Api-Key ${adminKey}`, accept: 'text/csv' },
  })
  const lines = (await csv.text()).split('\r\n')
  expect(lines[0]).toBe('part,question,count,examples')
  expect(lines).toContain(`content_gaps,'${football},1,'${football}`)

  await harbor.lectern.call('DELETE', `${docs}chats/?email=ann@example.org`)
  expect(JSON.stringify(await insights(harbor))).not.toContain('football')
})

it.skipIf(withoutWeights)(
  'puts questions of the same meaning together',
  async () => {
    const meaning = await openHarbor(weightsSettings)
    try {
      await ask(meaning, 'How do I install Harbor on Linux?')
      await ask(meaning, 'how can I set up harbor on ubuntu')
      const count = async () => (await insights(meaning)).frequent_questions[0]?.count
      // The model is loaded beside what readers do.
      await expect.poll(count, { timeout: 30_000 }).toBe(2)
    } finally {
      await meaning.close()
    }
  },
  90_000,
)
