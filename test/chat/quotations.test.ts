// Citations with quotations: how true, invented, misplaced and altered quotations of a model reach a reader.
import fc from 'fast-check'
import { afterAll, expect, test } from 'vitest'
import { answers, cutByLength } from '../model/scripts.ts'
import { openTurnLab } from './turn-lab.ts'

const pages = {
  timeouts: [
    'A request is given up after 30 seconds, unless `request_timeout` says otherwise.',
    'The timer starts when the request leaves the queue.',
    'Retries count as new requests, and each has a timer of its own.',
  ],
  requests: [
    'Requests are sent in the order in which they were made.',
    'At most 8 requests are under way at once.',
    'The client keeps a request that fails until the server accepts it.',
  ],
}
const question = 'How long does a request wait before it is given up, and how many requests are sent at once?'

const lab = await openTurnLab()
for (const [name, lines] of Object.entries(pages)) {
  lab.pages.set(name, { title: `About ${name}`, text: lines.join(' ') })
}
afterAll(() => lab.close())

/** The lines of each passage, by the label in the model's prompt. */
async function readLabels(): Promise<Map<number, string[]>> {
  lab.provider.chat.play(answers('Yes.'))
  await lab.send(question)
  const system: string = lab.provider.chat.calls.at(-1)!.body.messages[0].content
  const labels = system.matchAll(/<passage label="\[(\d)\]" title="About (\w+)"/gu)
  return new Map([...labels].map(([, label, name]) => [Number(label), pages[name as keyof typeof pages]]))
}

type Kind = 'true' | 'invented' | 'misplaced' | 'altered'
// Long enough not to occur in a random token.
const secret = 'Snallygaster'

const claim = fc.record({
  kind: fc.constantFrom<Kind>('true', 'true', 'invented', 'misplaced', 'altered'),
  label: fc.constantFrom(1, 2),
  line: fc.nat(2),
  from: fc.nat(3),
  length: fc.integer({ min: 4, max: 9 }),
  change: fc.nat(8),
  isMarked: fc.boolean(),
})

test('accepts true quotations, rejects invented, misplaced and altered ones, and never sends raw ones', async () => {
  const labels = await readLabels()
  let [kept, truthful] = [0, 0]
  await fc.assert(
    fc.asyncProperty(
      fc.array(claim, { minLength: 1, maxLength: 8 }),
      fc.boolean(),
      async (claims, progress) => {
        const made = claims.map(({ kind, label, line, from, length, change, isMarked }) => {
          const words = labels
            .get(label)!
            [line]!.split(' ')
            .slice(from, from + length)
          const altered = words.with(change % words.length, secret)
          const text = { true: words, misplaced: words, altered, invented: [secret, 'is', 'the', 'default'] }[
            kind
          ]
          const shown = isMarked
            ? text.map((word) => `**${word.replaceAll('`', '')}**`).join('\n')
            : text.join(' ')
          const cited = kind === 'misplaced' ? 3 - label : label
          return { kind, cited, quote: text.join(' '), mark: `[${cited}: "${shown}"]` }
        })
        const draft = made
          .map(({ mark }, at) => `Statement ${'abcdefgh'[at]} is told of requests ${mark}.`)
          .join('\n\n')
        lab.provider.chat.play(answers(draft))
        const { events, finals } = await lab.send(question, { progress })
        const everything = JSON.stringify(events, (_, value) =>
          typeof value === 'bigint' ? String(value) : value,
        )
        expect(everything).not.toContain(secret)
        expect(everything).not.toMatch(/\[\d: /u)
        const { message, sources } = finals[0]!.aiMessage!
        const paragraphs = message.split('\n\n')
        for (const [at, { kind, cited }] of made.entries()) {
          const isKept = /requests \[\d\]\.$/u.test(paragraphs[at]!)
          if (kind !== 'true') expect(isKept).toBe(false)
          else {
            truthful++
            if (isKept) kept++
          }
          expect(labels.has(cited)).toBe(true)
        }
        const shown = Object.values(pages).flat().join(' ')
        for (const { quote } of sources) expect(shown).toContain(quote)
      },
    ),
    { numRuns: 60 },
  )
  expect(truthful).toBeGreaterThan(50)
  expect(kept / truthful).toBeGreaterThanOrEqual(0.98)
})

test('a quotation replaces nearness, but not a number or a name', async () => {
  const label = [...(await readLabels())].find(([, lines]) => lines === pages.requests)![0]
  const quote = 'At most 8 requests are under way at once'
  const cite = (claim: string) => `${claim} [${label}: "${quote}"].`
  const kept = cite('Parallelism is bounded').replace(/\[.*\]/u, '[1]')
  lab.provider.chat.play(
    answers(
      ['Parallelism is bounded', 'It is bounded by 9', 'It is bounded by `max_calls`'].map(cite).join('\n\n'),
    ),
  )
  const { finals } = await lab.send(question)
  const { message, sources } = finals[0]!.aiMessage!
  expect(message).toBe(`${kept}\n\nIt is bounded by 9.\n\nIt is bounded by \`max_calls\`.`)
  expect(sources).toMatchObject([{ title: 'About requests', quote: `${quote}.` }])
  const { answer, trace } = await lab.stored(finals[0]!.chatUuid)
  expect(answer!.sources).toMatchObject([{ quote: `${quote}.` }])
  expect(trace!.passages.filter(({ cited }) => cited)).toMatchObject([{ quote: `${quote}.` }])
  expect(trace!.dropped.map(({ why }) => why)).toEqual([
    'the passage does not say 9',
    'the passage does not name max_calls',
  ])
})

test('a quotation of two words is not evidence by itself', async () => {
  const label = [...(await readLabels())].find(([, lines]) => lines === pages.requests)![0]
  lab.provider.chat.play(
    answers(
      `Elephants forget nothing whatsoever [${label}: "At most"]. At most 8 requests are under way [${label}: "At most"].`,
    ),
  )
  const { finals } = await lab.send(question)
  expect(finals[0]!.aiMessage!.message).toBe(
    'Elephants forget nothing whatsoever. At most 8 requests are under way [1].',
  )
})

test('keeps the quotations of a continued answer', async () => {
  const label = [...(await readLabels())].find(([, lines]) => lines === pages.requests)![0]
  const quote = 'At most 8 requests are under way at once'
  const first = cutByLength(`Parallelism is bounded [${label}: "${quote}"]. And `)
  lab.provider.chat.play(first, ...[1, 2, 3].map(() => cutByLength('so on ')))
  const { finals } = await lab.send(question)
  lab.provider.chat.play(answers('to the end.'))
  const continued = await lab.goOn(finals[0]!)
  expect(continued.finals[0]!.aiMessage).toMatchObject({
    message: expect.stringMatching(/^Parallelism is bounded \[1\]\. And so on .*to the end\.$/u),
    sources: [{ quote: `${quote}.` }],
  })
})
