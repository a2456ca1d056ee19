// A whole Lectern with a language model over the network: what the reader gets of everything that a provider does, and
// that nothing of key, address or the provider's words goes to the reader, nor the key to the log.
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { openScriptedProvider, type ScriptedProvider } from '../model/scripted-provider.ts'
import { answers, cutByLength, faults, hangsAfter } from '../model/scripts.ts'
import { type LecternProcess, runEnded, startLectern } from './lectern-process.ts'

const key = 'sk-hunter2-hunter2'
const question = 'What does LECTERN_PAGE_LIMIT mean?'
const chats = '/api/v2/projects/manual/chats/'

describe.each(['openai-compatible', 'anthropic'])('with %s', (providerName) => {
  let provider: ScriptedProvider
  let lectern: LecternProcess

  beforeAll(async () => {
    provider = await openScriptedProvider()
    lectern = await startLectern({
      env: {
        LECTERN_LLM_PROVIDER: providerName,
        LECTERN_LLM_URL: provider.url,
        LECTERN_LLM_MODEL: 'scripted',
        LECTERN_LLM_KEY: key,
        LECTERN_LLM_TIMEOUT: '1',
      },
    })
    await runEnded(lectern, 'manual', await firstRun())
  })
  afterAll(async () => {
    await lectern.remove()
    await provider.close()
  })

  /** The manual's, which begins when Lectern has said that it is ready. */
  async function firstRun(): Promise<string> {
    for (;;) {
      const { status, body } = await lectern.call('GET', '/api/v2/projects/manual/sync/')
      if (status === 200) return body.uuid
      await new Promise((resolve) => setTimeout(resolve, 50))
    }
  }

  const post = (body: object, init: { token?: string; signal?: AbortSignal } = {}) =>
    fetch(lectern.baseUrl + chats, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        ...(init.token && { 'x-chat-restore-token': init.token }),
      },
      body: JSON.stringify({ message: question, ...body }),
      ...(init.signal && { signal: init.signal }),
    })
  // biome-ignore lint/suspicious/noExplicitAny: the JSON of an answer
  const ask = async (body: object = {}, token?: string): Promise<any> =>
    (await post(body, token ? { token } : {})).json()

  test('an answer, its sources, and one request', async () => {
    provider.chat.play(
      answers('It is the most pages that a project may have [1]. The moon is made of cheese [99].'),
    )
    const before = provider.chat.calls.length
    const { ai_message } = await ask()
    expect(ai_message).toMatchObject({ stopReason: 'stop', incomplete: false })
    expect(ai_message.message).not.toContain('[99]')
    expect(provider.chat.calls).toHaveLength(before + 1)
    expect(JSON.stringify(provider.chat.calls.at(-1)!.body)).toContain(question)
  })

  test('what the documentation does not hold costs no call', async () => {
    const before = provider.chat.calls.length
    await ask({ message: 'Who won the football world cup in 1974?' })
    expect(provider.chat.calls).toHaveLength(before)
  })

  test.each(Object.entries(faults))('a provider that %s', async (name, script) => {
    const before = provider.chat.calls.length
    provider.chat.play(script)
    const answer = await ask()
    const draft = /The draft/.test(answer.ai_message.message)
    const isUnreached = /40[134]|429|50\d|resets/.test(name)
    const stopReason = draft ? 'interrupted' : isUnreached ? 'stop' : 'error'
    expect(answer.ai_message).toMatchObject({ stopReason, incomplete: !isUnreached })
    expect(provider.chat.calls).toHaveLength(before + 1)
    expect(JSON.stringify(answer)).not.toMatch(/hunter2|127\.0\.0\.1:\d+\/v1|scripted/)

    provider.chat.play(answers('It is a number of pages [1].'))
    const next = await ask({ chat_uuid: answer.chat_uuid }, answer.restore_token)
    expect(next.ai_message, 'the chat goes on').toMatchObject({ stopReason: 'stop' })
  })

  test('an answer that is cut again and again is gone on with three times', async () => {
    const before = provider.chat.calls.length
    provider.chat.play(...['It is ', 'the most ', 'pages ', 'that '].map(cutByLength))
    const { ai_message } = await ask()
    expect(ai_message).toMatchObject({
      stopReason: 'length',
      continuationCount: 3,
      continuationAvailable: true,
    })
    expect(ai_message.message.trim()).toBe('It is the most pages that')
    expect(provider.chat.calls).toHaveLength(before + 4)
  })

  test('a reader who leaves ends the request to the provider', async () => {
    const came = Promise.withResolvers<void>()
    provider.chat.play(async (call) => {
      await hangsAfter('The draft')(call)
      came.resolve()
    })
    const leave = new AbortController()
    const reader = post({}, { signal: leave.signal })
    await came.promise
    leave.abort()
    await expect(reader).rejects.toThrow()
    expect(await provider.chat.calls.at(-1)!.closed).toBe('aborted')
  })

  test('the log tells of faults, and not the key', () => {
    expect(lectern.output.join('\n')).toMatch(/the model is refused/)
    expect(lectern.output.join('\n')).not.toContain('hunter2')
  })
})
