// A complete Lectern whose language model is unavailable at the start. For failures of the model see test/chat/faults.test.ts.
import { expect, it } from 'vitest'
import { openScriptedProvider } from '../model/scripted-provider.ts'
import { openHarbor } from './harbor.ts'

it('warns at the start about an unreachable language model, names it in /readyz, and answers with quotations', async () => {
  const away = await openScriptedProvider()
  await away.close()
  const { lectern, close } = await openHarbor({
    LECTERN_LLM_URL: away.url,
    LECTERN_LLM_MODEL: 'scripted',
    LECTERN_LLM_KEY: 'sk-hunter2-hunter2',
  })
  try {
    const host = new URL(away.url).host
    const warning = `LECTERN_LLM_URL: the language model at ${host} does not answer.`
    await expect.poll(() => lectern.output.join('\n')).toContain(warning)
    expect(lectern.output.join('\n')).not.toContain('hunter2')
    const { status, body } = await lectern.call('GET', '/readyz')
    expect([status, body]).toEqual([200, { status: 'ready', away: ['model'] }])
    const answer = await lectern.call('POST', '/api/v2/projects/harbor/chats/', {
      message: 'How do I install Harbor on Linux?',
    })
    expect(answer.body.ai_message.message).toContain('apt install harbor')
  } finally {
    await close()
  }
})
