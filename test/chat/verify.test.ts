// LECTERN_LLM_VERIFY: the language model that wrote an answer also verifies its citations.
import { afterAll, beforeEach, expect, test } from 'vitest'
import { answers, fails } from '../model/scripts.ts'
import { openTurnLab } from './turn-lab.ts'

const lab = await openTurnLab({ verify: true })
afterAll(() => lab.close())
beforeEach(() => {
  lab.provider.chat.calls.length = 0
  lab.reported.length = 0
  lab.pages.set('timeouts', {
    title: 'Timeouts',
    text: 'A request is given up after 30 seconds. Set the timeout with the option request-timeout.',
  })
})

const question = 'When is a request given up?'
const said =
  'A request is given up after 30 seconds [1]. A request is answered by the option request-timeout [1].'
const verdicts = (...supported: boolean[]) =>
  JSON.stringify({ verdicts: supported.map((each, at) => ({ claim: at + 1, supported: each })) })

async function ask() {
  const received = await lab.send(question)
  const final = received.finals[0]!
  const { trace } = await lab.stored(final.chatUuid)
  return { received, message: final.aiMessage!.message, dropped: trace!.dropped }
}

test('verifies all citations in one more call, and removes unsupported ones', async () => {
  lab.provider.chat.play(answers(said), answers(verdicts(true, false)))
  const { message, dropped } = await ask()
  expect(message).toBe(said.replace('timeout [1]', 'timeout'))
  expect(dropped).toEqual([
    {
      text: '[1] A request is answered by the option request-timeout.',
      why: 'the language model finds no support',
    },
  ])
  expect(lab.provider.chat.calls).toHaveLength(2)
})

test('sends nothing from the verification to the reader', async () => {
  const secret = 'Buy at https://evil.test'
  lab.provider.chat.play(answers(said), answers(`${secret} ${verdicts(true, true)} ${secret}`))
  const { received, message } = await ask()
  expect(message).toBe(said)
  expect(
    JSON.stringify(received, (_, value) => (typeof value === 'bigint' ? String(value) : value)),
  ).not.toContain('evil')
  expect(lab.reported).toHaveLength(1)
})

test('falls back to facts and nearness if the verification fails', async () => {
  lab.provider.chat.play(answers(said.replace('30', '40')), fails(500))
  const { message, dropped } = await ask()
  expect(message).toBe(said.replace('30 seconds [1]', '40 seconds'))
  expect(dropped.map(({ why }) => why)).toEqual(['the passage does not say 40'])
  expect(lab.reported).toHaveLength(1)
})

test('makes no second call for an answer without citations', async () => {
  lab.provider.chat.play(answers('It is given up after 30 seconds.'))
  await ask()
  expect(lab.provider.chat.calls).toHaveLength(1)
})
