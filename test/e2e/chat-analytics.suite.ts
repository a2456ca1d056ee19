// Analytics and insights of chats in a complete Lectern: messages count by outcome, questions with the same words or meaning
// are merged, and nothing of an erased person remains.
import { beforeAll, expect, it, onTestFinished } from 'vitest'
import { weightsSettings, withoutWeights } from '../model/weights.ts'
import { addHarborProject, type Harbor, openHarbor, sharedHarbor } from './harbor.ts'
import { adminKey } from './lectern-process.ts'

let harbor: Harbor
beforeAll(async () => {
  harbor = await sharedHarbor()
})

const docs = '/api/v2/projects/harbor/'
const question = 'How do I install Harbor on Linux?'

const call = (method: string, path: string, body?: unknown) => harbor.lectern.call(method, docs + path, body)
const analytics = async () => (await call('GET', 'analytics/chat/')).body

async function say(message: string, fields: object = {}) {
  const { status, body } = await call('POST', 'chats/', { message, ...fields })
  expect([200, 201]).toContain(status)
  return body
}

it('counts chats, messages, people, feedback, and questions by outcome', async () => {
  const page = `${harbor.site}install.html`
  const first = await say(question, { email: 'ann@example.org', url: `${harbor.site}deploy.html#top` })
  await say('Thanks!', { email: 'bob@example.org' })
  await say(question, { email: 'bob@example.org' })
  await say('Who won the football match last night?')
  const { body } = await call('GET', `chats/${first.chat_uuid}/`)
  const [answered] = body.messages
  expect((await call('POST', `messages/${answered.uuid}/feedback/`, { reaction: 0 })).status).toBe(200)
  expect((await call('POST', `messages/${answered.uuid}/feedback/`, { reaction: 1 })).status).toBe(200)

  const report = await analytics()
  const totals = {
    chats: 4,
    messages: 4,
    unique_users: 2,
    positive: 1,
    negative: 0,
    satisfaction: 1,
    unanswered: 1,
    answered: 2,
    pointed: 0,
    refused: 1,
  }
  expect(report.totals).toEqual(totals)
  expect(report.daily).toHaveLength(30)
  expect(report.daily.at(-1)).toEqual({ date: report.end_date, ...totals })
  expect(report.daily[0]).toMatchObject({ chats: 0, satisfaction: 0, unique_users: 0 })
  expect(report.top_cited_pages).toContainEqual({ url: page, title: 'Installing Harbor', count: 2 })
  expect(report.top_question_pages).toEqual([
    { url: `${harbor.site}deploy.html`, title: 'Deploying a site', count: 1 },
  ])

  const csv = await fetch(`${harbor.lectern.baseUrl}${docs}analytics/chat/`, {
    headers: { authorization: `Api-Key ${adminKey}`, accept: 'text/csv' },
  })
  expect(csv.headers.get('content-type')).toBe('text/csv; charset=utf-8')
  expect((await csv.text()).split('\r\n')[1]).toBe('totals,4,4,2,1,0,1,1,2,0,1,,,,')
})

it('erases a person with all of their questions', async () => {
  expect((await call('DELETE', 'chats/?email=ann@example.org')).status).toBe(204)
  const report = await analytics()
  expect(report.totals).toMatchObject({ chats: 3, messages: 3, unique_users: 1, positive: 0, answered: 1 })
  expect(report.top_question_pages).toEqual([])
})

const insights = async ({ lectern }: Pick<Harbor, 'lectern'>, slug: string) =>
  (await lectern.call('GET', `/api/v2/projects/${slug}/analytics/insights/`)).body

async function ask({ lectern }: Harbor, slug: string, message: string, fields: object = {}) {
  const { status } = await lectern.call('POST', `/api/v2/projects/${slug}/chats/`, { message, ...fields })
  expect(status).toBe(201)
}

it('merges questions with the same words and drops messages that are not questions', async () => {
  await addHarborProject(harbor, 'asked')
  await ask(harbor, 'asked', 'How do I install Harbor on Linux?')
  await ask(harbor, 'asked', 'Installing Harbor on Linux')
  await ask(harbor, 'asked', 'Which proxy does Harbor use?')
  for (const _ of [1, 2]) await ask(harbor, 'asked', 'Thanks!')
  const football = '=Who won the football match last night?'
  await ask(harbor, 'asked', football, { email: 'ann@example.org' })
  await harbor.lectern.call('GET', `/api/v2/projects/asked/search/?q=zzzyx`)

  const installing = {
    question: expect.stringContaining('Harbor on Linux'),
    count: 2,
    examples: expect.arrayContaining(['How do I install Harbor on Linux?', 'Installing Harbor on Linux']),
  }
  await expect
    .poll(async () => (await insights(harbor, 'asked')).content_gaps)
    .toContainEqual({ question: 'zzzyx', count: 1, examples: ['zzzyx'] })
  const report = await insights(harbor, 'asked')
  expect(report.frequent_questions).toEqual([installing])
  expect(report.content_gaps).toContainEqual({ question: football, count: 1, examples: [football] })
  expect(report.content_gaps).not.toContainEqual(installing)

  const csv = await fetch(`${harbor.lectern.baseUrl}/api/v2/projects/asked/analytics/insights/`, {
    headers: { authorization: `Api-Key ${adminKey}`, accept: 'text/csv' },
  })
  const lines = (await csv.text()).split('\r\n')
  expect(lines[0]).toBe('part,question,count,examples')
  expect(lines).toContain(`content_gaps,'${football},1,'${football}`)

  await harbor.lectern.call('DELETE', `/api/v2/projects/asked/chats/?email=ann@example.org`)
  expect(JSON.stringify(await insights(harbor, 'asked'))).not.toContain('football')
})

it.skipIf(withoutWeights)('merges questions with the same meaning', async () => {
  const meaning = await openHarbor(weightsSettings)
  onTestFinished(meaning.close)
  await ask(meaning, 'harbor', 'How do I install Harbor on Linux?')
  await ask(meaning, 'harbor', 'how can I set up harbor on ubuntu')
  const count = async () => (await insights(meaning, 'harbor')).frequent_questions[0]?.count
  // The model loads in the background.
  await expect.poll(count).toBe(2)
})
