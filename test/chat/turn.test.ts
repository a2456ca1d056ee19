// A turn as its reader receives it and as it is stored.
import { afterAll, beforeEach, expect, test } from 'vitest'
import { RetrievalMode } from '../../gen/lectern/v1/chat_pb.js'
import { StopReason, TurnOutcome, TurnStage, TurnState } from '../../gen/lectern/v1/turn_pb.js'
import { answers, cutByLength, fails } from '../model/scripts.ts'
import { openTurnLab, type ReceivedTurn } from './turn-lab.ts'

const lab = await openTurnLab()
afterAll(() => lab.close())
beforeEach(() => {
  lab.pages.clear()
  lab.pages.set('timeouts', {
    title: 'Timeouts',
    text: 'A request is given up after thirty seconds. Set the timeout with the option request-timeout.',
  })
  lab.pages.set('threads', { title: 'Threads', text: 'A thread pool holds eight threads.' })
})

const question = 'When is a request given up?'
const said = 'A request is given up after thirty seconds [1].'

function statuses({ events }: ReceivedTurn): string[] {
  return events.flatMap(({ event }) =>
    event.case === 'status'
      ? [`${TurnStage[event.value.stage]} ${TurnState[event.value.state]}`.toLowerCase()]
      : [event.case!],
  )
}

test('streams, checks and stores an answer', async () => {
  lab.provider.chat.play(answers(said))
  const received = await lab.send(question, { email: 'a@b.c', metadata: 'tag', url: 'https://page.test/x' })
  expect(received.draft).toBe(said)
  expect(received.finals).toHaveLength(1)
  const final = received.finals[0]!
  expect(final).toMatchObject({ newChat: true, slug: 'docs', outcome: TurnOutcome.ANSWERED })
  expect(final.isError ?? final.interrupted ?? final.retryable).toBeUndefined()
  expect(final.aiMessage).toMatchObject({
    from: 'ai',
    message: said,
    isPartial: false,
    incomplete: false,
    stopReason: StopReason.STOP,
    continuationCount: 0,
    continuationAvailable: false,
    sources: [{ title: 'Timeouts', url: 'https://docs.test/timeouts#s' }],
  })
  expect(lab.tokens.verify(final.chatUuid, final.restoreToken)).toBe(true)

  const chat = await lab.store.chats.get(final.chatUuid)
  expect(chat).toMatchObject({
    title: question,
    email: 'a@b.c',
    metadata: 'tag',
    url: 'https://page.test/x',
    messageCount: 2,
  })
  const { messages, trace } = await lab.stored(final.chatUuid)
  expect(
    messages.map(({ uuid, role, content, position, stopReason }) => ({
      uuid,
      role,
      content,
      position,
      stopReason,
    })),
  ).toEqual([
    { uuid: final.userMessageId, role: 'user', content: question, position: 0, stopReason: null },
    { uuid: final.aiMessage!.messageId, role: 'assistant', content: said, position: 1, stopReason: 'stop' },
  ])
  expect(trace).toMatchObject({
    queries: [question],
    meanings: ['late'],
    model: 'openai-compatible:scripted',
    promptVersion: 'v3',
    verdict: 'answered',
    passages: [expect.objectContaining({ unit: 'timeouts:1:0', cited: true })],
  })
})

test('sends the restore token with the first token and the final event', async () => {
  lab.provider.chat.play(answers(said))
  const { events, finals } = await lab.send(question)
  const tokens = events.flatMap(({ event }) => (event.case === 'token' ? [event.value.restoreToken] : []))
  expect(tokens[0]).toBe(finals[0]!.restoreToken)
  expect(tokens.slice(1).every((token) => token === undefined)).toBe(true)
})

test('sends requested stages in order, numbered from 1', async () => {
  lab.provider.chat.play(answers('Yes.'))
  const received = await lab.send(question, { progress: true })
  expect(statuses(received)).toEqual([
    'contextualizing started',
    'contextualizing completed',
    'searching_docs started',
    'searching_docs completed',
    'reviewing_results started',
    'reviewing_results completed',
    'preparing_docs started',
    'preparing_docs completed',
    'writing_answer started',
    'token',
    'writing_answer completed',
    'checking_sources started',
    'checking_sources completed',
    'final',
    'completed completed',
  ])
  const sequence = received.events.flatMap(({ event }) =>
    event.case === 'status' ? [event.value.sequence] : [],
  )
  expect(sequence).toEqual(sequence.map((_, at) => at + 1))
})

test('sends no stages unless requested', async () => {
  const received = await lab.send(question)
  expect(received.events.some(({ event }) => event.case === 'status')).toBe(false)
})

test('refuses what the documentation does not contain without calling the model', async () => {
  const calls = lab.provider.chat.calls.length
  const received = await lab.send('Does chocolate cake bake with a request?', { progress: true })
  expect(lab.provider.chat.calls.length).toBe(calls)
  expect(received.finals[0]!.aiMessage).toMatchObject({
    stopReason: StopReason.STOP,
    incomplete: false,
    sources: [],
  })
  expect(received.finals[0]).toMatchObject({ refused: true, outcome: TurnOutcome.REFUSED })
  expect(received.finals[0]!.aiMessage!.message).toContain('[Timeouts](https://docs.test/timeouts#s)')
  expect(statuses(received).slice(-3)).toEqual([
    'reviewing_results completed',
    'final',
    'completed completed',
  ])
  const { answer, trace } = await lab.stored(received.finals[0]!.chatUuid)
  expect(answer).toMatchObject({ stopReason: 'stop', content: received.finals[0]!.aiMessage!.message })
  expect(trace).toMatchObject({ verdict: 'refused', model: 'none' })
})

test('refuses a question in French in French', async () => {
  const { finals } = await lab.send('Comment cuire un gâteau au chocolat dans un four ?')
  expect(finals[0]).toMatchObject({ outcome: TurnOutcome.REFUSED })
  expect(finals[0]!.aiMessage!.message).toContain("Je n'ai rien trouvé à ce sujet")
})

test('without a model, names a near section without quoting it', async () => {
  const quoting = await openTurnLab({ model: null })
  quoting.pages.set('fans', { title: 'Fans', text: 'A fan cools the lamp. Its switch is red.' })
  try {
    const { finals } = await quoting.send('Which switch cools hamster cages?')
    expect(finals[0]).toMatchObject({ outcome: TurnOutcome.POINTED, refused: false })
    expect(finals[0]!.aiMessage).toMatchObject({ sources: [], stopReason: StopReason.STOP })
    expect(finals[0]!.aiMessage!.message).toContain('- [Fans](https://docs.test/fans#s)')
    const answered = (await quoting.send('Which switch cools the lamp?')).finals[0]!
    expect(answered).toMatchObject({ outcome: TurnOutcome.ANSWERED })
    expect(answered.aiMessage!.message).toBe('**Fans** [1]\n\nA fan cools the lamp. Its switch is red.')
    expect(answered.aiMessage!.sources).toMatchObject([{ title: 'Fans', url: 'https://docs.test/fans#s' }])
  } finally {
    await quoting.close()
  }
})

test('reports corrected words in a stage with a model, otherwise above the reply', async () => {
  lab.search.corrections = ['a', 'nichts in der Frage', 'request'].map((typed, at) => ({
    typed,
    term: `term_${at}*`,
  }))
  lab.provider.chat.play(answers(said))
  const received = await lab.send(question, { progress: true })
  const { content } = (await lab.stored(received.finals[0]!.chatUuid)).answer!
  expect(content).toBe(said)
  const details = received.events.flatMap(({ event }) =>
    event.case === 'status' && event.value.detail?.searchedFor.length ? [event.value] : [],
  )
  expect(details).toMatchObject([
    {
      stage: TurnStage.REVIEWING_RESULTS,
      state: TurnState.COMPLETED,
      detail: { searchedFor: ['term_0*', 'term_2*'] },
    },
  ])
  const refused = await lab.send('Wie backe ich einen Kuchen mit request?')
  lab.search.corrections = []
  expect(refused.finals[0]!.aiMessage!.message).toMatch(/^Gesucht nach: term_0\\\*, term_2\\\*\n\nDiese/u)
})

test('searches a follow-up in the context of the conversation', async () => {
  const first = await lab.send('How do I set a timeout for a request?')
  const { chatUuid, restoreToken } = first.finals[0]!
  lab.searched.length = 0
  lab.provider.chat.play(answers('Eight [1].'))
  const received = await lab.send('And for threads?', { chatUuid, restoreToken })
  expect(lab.searched[0]!.q).toBe('And for threads? (How do I set a timeout for a request?)')
  expect(received.finals[0]).toMatchObject({ newChat: false, chatUuid })
  const { messages } = lab.provider.chat.calls.at(-1)!.body
  expect(messages.slice(1).map(({ role }: { role: string }) => role)).toEqual(['user', 'assistant', 'user'])
  expect((await lab.stored(chatUuid)).messages.map(({ position }) => position)).toEqual([0, 1, 2, 3])
})

test.each([
  ['searches once in instant mode', { retrievalMode: RetrievalMode.INSTANT }, 1],
  ['searches again if the first round finds too little', {}, 2],
  ['searches up to three times when reasoning', { thinkMode: true }, 3],
])('%s', async (_name, request, rounds) => {
  const first = await lab.send('How do I set a timeout for a request?')
  const { chatUuid, restoreToken } = first.finals[0]!
  lab.searched.length = 0
  const message = rounds === 3 ? 'And for threads?' : 'And vanilla pudding recipes?'
  const received = await lab.send(message, { chatUuid, restoreToken, progress: true, ...request })
  expect(lab.searched).toHaveLength(rounds)
  const begun = received.events.flatMap(({ event }) =>
    event.case === 'status' && event.value.state === TurnState.STARTED
      ? [event.value.detail?.searchRound]
      : [],
  )
  expect(begun.filter((round) => round !== undefined)).toEqual(
    Array.from({ length: rounds }, (_, at) => at + 1),
  )
})

test('continues a cut answer three times, then on request, in the same message', async () => {
  lab.provider.chat.play(...['A request ', 'is given ', 'up after ', 'thirty '].map(cutByLength))
  const { finals, draft } = await lab.send(question)
  const cut = finals[0]!
  expect(draft).toBe('A request is given up after thirty ')
  expect(cut.aiMessage).toMatchObject({
    message: 'A request is given up after thirty ',
    stopReason: StopReason.LENGTH,
    incomplete: true,
    continuationCount: 3,
    continuationAvailable: true,
  })

  lab.provider.chat.play(answers('seconds [1].'))
  const received = await lab.goOn(cut)
  expect(received.draft).toBe('seconds [1].')
  expect(received.finals[0]!.userMessageId).toBeUndefined()
  expect(received.finals[0]!.aiMessage).toMatchObject({
    messageId: cut.aiMessage!.messageId,
    message: said,
    stopReason: StopReason.STOP,
    incomplete: false,
    continuationAvailable: false,
    sources: [{ title: 'Timeouts', url: 'https://docs.test/timeouts#s' }],
  })
  const { messages } = await lab.stored(cut.chatUuid)
  expect(messages.map(({ content }) => content)).toEqual([question, said])
  await expect(lab.goOn(cut)).rejects.toThrow('cannot be continued')
})

test('of two concurrent continuations, one calls the model', async () => {
  lab.provider.chat.play(...['a ', 'b ', 'c ', 'd '].map(cutByLength))
  const cut = (await lab.send(question)).finals[0]!
  const calls = lab.provider.chat.calls.length
  lab.provider.chat.play(answers('e'))
  const ended = await Promise.allSettled([lab.goOn(cut), lab.goOn(cut)])
  expect(ended.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected'])
  expect(lab.provider.chat.calls.length).toBe(calls + 1)
})

test('stores two concurrent turns of a chat, each answer after its question', async () => {
  const first = (await lab.send(question)).finals[0]!
  const { chatUuid, restoreToken } = first
  const received = await Promise.all(
    [1, 2].map((at) => lab.send(`When is request ${at} given up?`, { chatUuid, restoreToken })),
  )
  const { messages } = await lab.stored(chatUuid)
  expect(messages.map(({ position }) => position)).toEqual([0, 1, 2, 3, 4, 5])
  for (const { finals } of received) {
    const asked = messages.find(({ uuid }) => uuid === finals[0]!.userMessageId)!
    const answer = messages.find(({ uuid }) => uuid === finals[0]!.aiMessage!.messageId)!
    expect(answer.position).toBe(asked.position + 1)
  }
})

test('a failed continuation keeps the answer and can be retried', async () => {
  lab.provider.chat.play(...['A request ', 'is given ', 'up after ', 'thirty '].map(cutByLength), fails(500))
  const cut = (await lab.send(question)).finals[0]!
  const failed = (await lab.goOn(cut)).finals[0]!
  expect(failed).toMatchObject({ isError: true, retryable: true })
  expect(failed.aiMessage).toMatchObject({
    message: 'A request is given up after thirty ',
    stopReason: StopReason.ERROR,
    incomplete: true,
    continuationAvailable: true,
  })
  lab.provider.chat.play(answers('seconds [1].'))
  const whole = (await lab.goOn(cut)).finals[0]!
  expect(whole.aiMessage).toMatchObject({ message: said, continuationAvailable: false })
})

test('continues a code block as code', async () => {
  const begun = 'So [1]:\n\n```sh\ncurl `whoami` <a>'
  lab.provider.chat.play(...[begun, '\nls', ' -l', ' -a\n'].map(cutByLength))
  const cut = (await lab.send(question)).finals[0]!
  lab.provider.chat.play(answers('echo <b> `x`\n```\nDone <i>.'))
  const { finals, draft } = await lab.goOn(cut)
  expect(draft).toBe('echo <b> `x`\n```\nDone &lt;i>.')
  expect(finals[0]!.aiMessage!.message).toContain(
    'curl `whoami` <a>\nls -l -a\necho <b> `x`\n```\nDone &lt;i>.',
  )
})

test('help names the project and does not affect the context of the next question', async () => {
  const calls = lab.provider.chat.calls.length
  const question = 'Wie setze ich timeout für einen request?'
  const { chatUuid, restoreToken } = (await lab.send(question)).finals[0]!
  const chat = { chatUuid, restoreToken }
  lab.searched.length = 0
  const help = (await lab.send('Hilfe!', chat)).finals[0]!
  expect(help.aiMessage!.message).toContain('Fragen zu Docs')
  expect(help.outcome).toBeUndefined()
  expect((await lab.send('ok', chat)).finals[0]!.aiMessage!.message).toMatch(/^In Ordnung/u)
  expect(lab.searched).toEqual([])
  expect(lab.provider.chat.calls.length).toBe(calls + 1)
  await lab.send('Und für threads?', chat)
  expect(lab.searched[0]!.q).toBe(`Und für threads? (${question})`)
})

test('a greeting is not a question and is not refused', async () => {
  const { finals } = await lab.send('Thank you!')
  expect(finals[0]).toMatchObject({ refused: false })
  expect(finals[0]!.outcome).toBeUndefined()
  expect((await lab.stored(finals[0]!.chatUuid)).trace).toMatchObject({ verdict: null, queries: [] })
})
