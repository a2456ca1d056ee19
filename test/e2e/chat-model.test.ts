// The chat with a language model behind it, scripted over real sockets: what the model says and how it fails, as
// readers on the socket and callers over REST see it.
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { openScriptedProvider, type ScriptedProvider } from '../model/scripted-provider.ts'
import { fails } from '../model/scripts.ts'
import { type ChatClient, openChat, withProgress } from './gateway/chat-client.ts'
import { type Harbor, openHarbor } from './harbor.ts'

const question = 'How do I install Harbor on Linux?'

let provider: ScriptedProvider
let harbor: Harbor
let addresses = 0
beforeAll(async () => {
  provider = await openScriptedProvider()
  harbor = await openHarbor({
    LECTERN_LLM_URL: provider.url,
    LECTERN_LLM_MODEL: 'scripted',
    LECTERN_LLM_KEY: 'sk-hunter2-hunter2',
    LECTERN_TRUST_PROXY: '127.0.0.1',
  })
})
afterAll(async () => {
  await harbor.close()
  await provider.close()
})

function open(): Promise<ChatClient> {
  addresses++
  return openChat(harbor.socket(), { 'x-forwarded-for': `10.3.0.${addresses}` })
}

describe('a model that fails', () => {
  it('that cannot be reached is replaced by quotations, which say so', async () => {
    const chat = await open()
    for (const status of [500, 401]) {
      provider.chat.play(fails(status))
      const answer = await chat.ask(withProgress(question, `r${status}`))
      expect(answer).toMatchObject({ stopReason: 'stop', incomplete: false })
      expect(answer.message).toMatch(/^The language model is not available at the moment\./)
      expect(answer.message).toContain('apt install harbor')
      expect(answer.sources[0].url).toContain('install.html')
      expect(JSON.stringify(answer)).not.toMatch(/hunter2|127\.0\.0\.1:\d+\/v1|scripted/)
    }
    const log = () => harbor.lectern.output.join('\n')
    await expect.poll(log).toMatch(/the model is refused/)
    expect(log()).not.toContain('hunter2')
  })
})

it('warns at the start where the language model does not answer, names it in /readyz, and quotes', async () => {
  const away = await openScriptedProvider()
  await away.close()
  const other = await openHarbor({
    LECTERN_LLM_URL: away.url,
    LECTERN_LLM_MODEL: 'scripted',
    LECTERN_LLM_KEY: 'sk-hunter2-hunter2',
  })
  try {
    const host = new URL(away.url).host
    const warning = `LECTERN_LLM_URL: the language model at ${host} does not answer.`
    await expect.poll(() => other.lectern.output.join('\n')).toContain(warning)
    expect(other.lectern.output.join('\n')).not.toContain('hunter2')
    const { status, body } = await other.lectern.call('GET', '/readyz')
    expect([status, body]).toEqual([200, { status: 'ready', away: ['model'] }])
    const answer = await other.lectern.call('POST', '/api/v2/projects/harbor/chats/', { message: question })
    expect(answer.body.ai_message.message).toContain('apt install harbor')
  } finally {
    await other.close()
  }
})

it('ends with what there is when Lectern closes, and the sockets with 1001', async () => {
  const other = await openHarbor({
    LECTERN_LLM_PROVIDER: 'anthropic',
    LECTERN_LLM_URL: provider.url,
    LECTERN_LLM_MODEL: 'scripted',
    LECTERN_LLM_KEY: 'sk-hunter2-hunter2',
  })
  const [idle, chat] = await Promise.all([openChat(other.socket()), openChat(other.socket())])
  const held = provider.chat.hold()
  chat.send(withProgress(question, 'r'))
  const call = await held
  await call.token('Run the ')
  await call.token('command ')
  await call.token('apt ')
  const closing = other.close()
  expect((await chat.turn()).at(-1)).toMatchObject({ stopReason: 'interrupted', incomplete: true })
  expect(await chat.closed).toMatchObject({ code: 1001 })
  expect(await idle.closed).toMatchObject({ code: 1001 })
  expect(await call.closed).toBe('aborted')
  await closing
})
