// Complete conversations over the socket with the real core: quoted answers, follow-ups, stages, verified sources, and
// who may continue a chat.
import { beforeAll, expect, it } from 'vitest'
import { type Frame, openChat, withProgress } from './gateway/chat-client.ts'
import { type Harbor, sharedHarbor } from './harbor.ts'

let harbor: Harbor
beforeAll(async () => {
  harbor = await sharedHarbor()
})

let addresses = 0
function open(url = harbor.socket()) {
  addresses++
  return openChat(url, { 'x-forwarded-for': `10.2.0.${addresses}` })
}

const answered = [
  'contextualizing',
  'searching_docs',
  'reviewing_results',
  'preparing_docs',
  'writing_answer',
  'checking_sources',
]

it('answers three turns in the context of earlier ones, with stages and verified sources', async () => {
  const chat = await open()
  const asks: [string, RegExp, string][] = [
    ['How do I install Harbor on Linux?', /apt install harbor/, 'install.html'],
    ['And on Windows?', /harbor\.msi/, 'install.html'],
    ['What does the option --dry-run show?', /which files/, 'deploy.html'],
  ]
  let chatId: string | undefined
  for (const [at, [message, answer, page]] of asks.entries()) {
    chat.send({ ...withProgress(message, `turn-${at}`), ...(chatId && { chatId }) })
    const turn = await chat.turn()
    const end = turn.at(-1)
    const statuses: Frame[] = [...turn.filter(({ type }) => type === 'status'), await chat.next()]
    const partials = turn.filter(({ isPartial }) => isPartial)

    expect(statuses.map(({ sequence }) => sequence)).toEqual(statuses.map((_, index) => index + 1))
    expect(new Set(statuses.map(({ requestId }) => requestId))).toEqual(new Set([`turn-${at}`]))
    expect([...new Set(statuses.map(({ stage }) => stage))]).toEqual([...answered, 'completed'])
    for (const stage of answered) {
      const states = statuses.filter((status) => status.stage === stage).map(({ state }) => state)
      expect(states.slice(0, 2)).toEqual(['started', 'completed'])
    }
    expect(statuses.at(-1)).toMatchObject({ stage: 'completed', state: 'completed' })

    expect(end.message).toMatch(answer)
    expect(end).toMatchObject({ projectId: 'harbor', from: 'ai', stopReason: 'stop', incomplete: false })
    // Quoted sources come first. Others may follow as further reading.
    expect(end.sources[0]).toEqual({
      title: expect.any(String),
      url: expect.stringContaining(`${harbor.site}${page}`),
      quote: expect.stringMatching(/\w/),
    })
    expect(partials.length).toBeGreaterThan(1)
    expect(partials.map((partial) => partial.message).join('')).toContain(end.message.slice(0, 20))
    expect(partials[0].restoreToken).toBe(end.restoreToken)
    for (const { messageId } of partials) expect(messageId).toBe(end.messageId)
    if (chatId) expect(end.chatId).toBe(chatId)
    chatId = end.chatId
  }
  const { body } = await harbor.lectern.call('GET', `/api/v2/projects/harbor/chats/${chatId}/`)
  expect(body.messages.map(({ role }: { role: string }) => role)).toEqual(
    asks.flatMap(() => ['assistant', 'user']),
  )
})

it('corrects typos in a question and reports the query it searched for', async () => {
  const chat = await open()
  const end = await chat.ask({ message: 'How do I isntall Harbor on Linux with one comand?' })
  expect(end.message).toMatch(/^Searched for: install, command\n\n\*\*Installing Harbor\*\*/u)
  expect(end.sources[0].url).toContain('install.html')
})

it('says that the documentation does not contain the answer', async () => {
  const chat = await open()
  const end = await chat.ask({ message: 'Who won the world cup in 1990?' })
  expect(end).toMatchObject({ sources: [], stopReason: 'stop', incomplete: false })
})
