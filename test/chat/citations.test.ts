// What readers receive of an answer whose citations are checked: clients that replace the draft, and those that cannot.
import { afterAll, beforeEach, expect, test } from 'vitest'
import { RetrievalMode } from '../../gen/lectern/v1/chat_pb.js'
import { TurnOutcome } from '../../gen/lectern/v1/turn_pb.js'
import { type Language, replies } from '../../services/answer/replies.ts'
import { answers, cutByLength } from '../model/scripts.ts'
import { openTurnLab } from './turn-lab.ts'

const questions: Record<Language, string> = {
  en: 'How long does a request wait before it is given up?',
  de: 'Wie lange wartet eine Anfrage, bevor sie abgebrochen wird?',
  fr: 'Combien de temps une requête attend-elle avant son abandon ?',
  es: '¿Cuánto tiempo espera una solicitud antes de cancelarse?',
  it: 'Quanto tempo attende una richiesta prima di essere annullata?',
  pt: 'Quanto tempo uma solicitação espera antes de ser cancelada?',
  nl: 'Hoe lang wacht een verzoek voordat het wordt afgebroken?',
  ja: 'リクエストはどのくらい待ってから中止されますか。',
  zh: '请求在放弃之前会等待多长时间？',
}

const lab = await openTurnLab()
afterAll(() => lab.close())
beforeEach(() => {
  lab.pages.clear()
  const text = 'A request is given up after thirty seconds. Retries are off.'
  lab.pages.set('timeouts', {
    title: 'Timeouts',
    text: `${text}\n\n${Object.values(questions).join('\n\n')}`,
  })
  lab.pages.set('requests', { title: 'Requests', text: 'A request waits before it is sent.' })
})

const invented = 'The request wears 42 `purple_hats()` [1]. It has 77 of them [9].'
const withoutMarks = 'The request wears 42 `purple_hats()`. It has 77 of them.'

test.each(Object.entries(questions))(
  'returns an answer that loses every citation as pointed, with a note: %s',
  async (language, question) => {
    lab.provider.chat.play(answers(invented))
    const { draft, finals } = await lab.send(question)
    expect(draft).toBe(finals[0]!.aiMessage!.message)
    expect(finals[0]).toMatchObject({ outcome: TurnOutcome.POINTED })
    expect(finals[0]!.aiMessage).toMatchObject({
      message: `${withoutMarks}\n\n${replies[language as Language].unsupported}`,
      sources: [],
    })
    const { answer, trace } = await lab.stored(finals[0]!.chatUuid)
    expect(answer).toMatchObject({ sources: [], content: finals[0]!.aiMessage!.message })
    expect(trace).toMatchObject({ verdict: 'pointed', passages: expect.anything() })
    expect(trace!.dropped).toHaveLength(2)
    expect(trace!.passages.some(({ cited }) => cited)).toBe(false)
  },
)

test('judges the citations of a cut answer only at its end', async () => {
  lab.provider.chat.play(...Array.from({ length: 4 }, () => cutByLength('It has 77 of them [9]. ')))
  const { finals } = await lab.send(questions.en)
  expect(finals[0]!.aiMessage).toMatchObject({ continuationAvailable: true })
  expect(finals[0]!.aiMessage!.message).not.toContain(replies.en.unsupported)
})

const draft = `A request is given up after thirty seconds [1]. It has 77 hats [1].

- Retries are off [2][1].
- It wears \`purple_hats()\` [9].

The end.`
const checked = `A request is given up after thirty seconds [1]. It has 77 hats.

- Retries are off [1].
- It wears \`purple_hats()\`.

The end.`

test('with status events, sends the draft and replaces it by the final text', async () => {
  lab.provider.chat.play(answers(draft))
  const received = await lab.send(questions.en, { progress: true })
  expect([received.draft, received.finals[0]!.aiMessage!.message]).toEqual([draft, checked])
})

test('without status events, sends citations after they are checked, and the complete final text', async () => {
  const held = lab.provider.chat.hold()
  const received: string[] = []
  const stream = lab.client.sendMessage({ slug: 'docs', message: questions.en } as never)
  const read = (async () => {
    let message = ''
    for await (const { event } of stream) {
      if (event!.event.case === 'token') received.push(event!.event.value.text)
      if (event!.event.case === 'final') message = event!.event.value.aiMessage!.message
    }
    return message
  })()
  const call = await held
  const [first, ...others] = draft.split('\n\n')
  await call.token(first!)
  await expect.poll(() => received.join('')).toBe('A request is given up after thirty seconds')
  await call.token(`\n\n${others[0]!.slice(0, 8)}`)
  await expect
    .poll(() => received.join(''))
    .toBe('A request is given up after thirty seconds [1]. It has 77 hats.\n\n- Retrie')
  await call.token(`${others[0]!.slice(8)}\n\n${others[1]}`)
  await call.end('stop')
  expect(await read).toBe(received.join(''))
  expect(received.join('')).not.toMatch(/77 hats \[|\[9\]/u)
})

test('sends a quotation with its links in pieces, with or without status events', async () => {
  const quoting = await openTurnLab({ model: null })
  for (const [name, page] of lab.pages) quoting.pages.set(name, page)
  quoting.pages.set('others', { title: 'Others', text: 'Seconds.' })
  try {
    const { draft, events, finals } = await quoting.send('Is a request given up after thirty seconds?')
    expect(events.filter(({ event }) => event.case === 'token').length).toBeGreaterThan(4)
    expect(finals[0]!.aiMessage!.message).toContain(replies.en.seeAlso)
    expect(draft).toBe(finals[0]!.aiMessage!.message)
  } finally {
    await quoting.close()
  }
})

test('a refusal names no page with too little evidence, and no source of the previous answer', async () => {
  lab.provider.chat.play(answers('A request is given up after thirty seconds [1].'))
  const first = (await lab.send(questions.en)).finals[0]!
  const { chatUuid, restoreToken } = first
  expect(first.aiMessage!.sources).toMatchObject([{ title: 'Timeouts' }])
  const far =
    'Which flour, yeast, salted butter, sugar, vanilla, cinnamon, raisins, almonds bake sweetest request bread?'
  const retrievalMode = RetrievalMode.INSTANT
  const refused = (await lab.send(far, { chatUuid, restoreToken, retrievalMode })).finals[0]!
  expect(refused.aiMessage!.message).toBe(replies.en.refused)

  lab.provider.chat.play(answers('A request is given up after thirty seconds [1].'))
  await lab.send(questions.en, { chatUuid, restoreToken })
  const near = 'Which vanilla pudding recipes make a request?'
  const named = (await lab.send(near, { chatUuid, restoreToken, retrievalMode })).finals[0]!
  expect(named.aiMessage!.message).toContain('- [Requests]')
  expect(named.aiMessage!.message).not.toContain('[Timeouts]')
})
