// The contract of counts of chat messages by day.
import assert from 'node:assert/strict'
import fc from 'fast-check'
import { chatMeasures, messageCountsAs, type Verdict } from '../../services/store/chat.ts'
import type { Store } from '../../services/store/store.ts'
import { at as atMinute, project, type StoreCases } from './store-case.ts'
import { answer, chat, question, trace, withTurn } from './store-chat-case.ts'
import { keysOf, talliesOf } from './store-tallies.ts'

/** Minutes. */
const day = 24 * 60
const allDays = { from: '2026-01-01', to: '2026-01-31' }
const [first, second] = ['2026-01-02', '2026-01-03']

const tallies = (store: Store, range = allDays, project = 'p1') =>
  talliesOf(store.chats, project, range, chatMeasures)

const page = 'https://docs.test/a'

/** The counts of `withTurn`. */
const turn = {
  chat: { '': 1 },
  message: { '': 1 },
  user: { 'ann@docs.test': 1 },
  answered: { '': 1 },
  asked_on: { [page]: 1 },
  question: { 'Question 0?': 1 },
  cited: { [page]: 1 },
}

const emails = ['ann@docs.test', 'bob@docs.test', null]
const step = fc.record({
  kind: fc.constantFrom('turn', 'turn', 'turn', 'react', 'rewrite', 'erase', 'erasePerson'),
  chat: fc.nat(4),
  verdict: fc.constantFrom<Verdict | null>('answered', 'pointed', 'refused', null),
  email: fc.constantFrom(...emails),
  text: fc.constantFrom('Why?', 'How?', 'Where?'),
  day: fc.nat(1),
  reaction: fc.nat(1),
})
type Step = typeof step extends fc.Arbitrary<infer Value> ? Value : never

interface Turn extends Pick<Step, 'verdict' | 'text' | 'day'> {
  feedback: number | null
}
/** An erased chat has no turns; its uuid is not reused. */
type Chats = Map<string, { email: string | null; turns: Turn[]; isErased?: boolean }>

/** The expected counts of the chats, in the format of `tallies`. */
function expected(chats: Chats) {
  const counts: Record<string, Record<string, Record<string, number>>> = {}
  for (const { email, turns } of chats.values())
    for (const [n, { verdict, text, day, feedback }] of turns.entries()) {
      const common = { email, url: page, sources: answer(1).sources, question: text }
      const counted = [
        ...messageCountsAs({ ...common, role: 'user', position: 2 * n, feedback: null, verdict: null }),
        ...messageCountsAs({ ...common, role: 'assistant', position: 2 * n + 1, feedback, verdict }),
      ]
      for (const [measure, key] of counted) {
        const date = day === 0 ? first : second
        counts[date] ??= {}
        counts[date][measure] ??= {}
        counts[date][measure][key] = (counts[date][measure][key] ?? 0) + 1
      }
    }
  return Object.keys(counts)
    .toSorted()
    .map((day) => ({ day, counts: counts[day] }))
}

const erased = { email: null, turns: [], isErased: true }

async function take(store: Store, chats: Chats, prefix: string, step: Step): Promise<void> {
  const uuid = `${prefix}-${step.chat}`
  const known = chats.get(uuid)
  if (known?.isErased) return
  const at = known === undefined ? -1 : known.turns.length - 1
  const last = { uuid: `${uuid}-a${at}`, chat: uuid, position: 2 * at + 1 }
  if (step.kind === 'turn') {
    const of = known ?? { email: null, turns: [] }
    if (known === undefined) await store.chats.insert(chat(uuid, { email: null }))
    chats.set(uuid, of)
    const n = of.turns.length
    const when = { chat: uuid, createdAt: atMinute(step.day * day + 5) }
    const said = question(2 * n, { ...when, uuid: `${uuid}-q${n}`, content: step.text })
    await store.chats.append(said, null, { hash: null, at: when.createdAt, email: step.email })
    const stored = answer(2 * n + 1, { ...when, uuid: `${uuid}-a${n}` })
    await store.chats.append(stored, trace({ verdict: step.verdict }), null)
    of.email ??= step.email
    of.turns.push({ verdict: step.verdict, text: step.text, day: step.day, feedback: null })
  } else if (step.kind === 'erasePerson') {
    if (step.email === null) return
    await store.chats.deleteByEmail('p1', step.email)
    for (const [other, { email }] of chats) if (email === step.email) chats.set(other, erased)
  } else if (known === undefined) return
  else if (step.kind === 'erase') {
    await store.chats.delete('p1', uuid)
    chats.set(uuid, erased)
  } else if (step.kind === 'react') {
    await store.chats.react(last.uuid, { reaction: step.reaction, comment: null })
    known.turns[at]!.feedback = step.reaction
  } else {
    const { revision } = (await store.chats.message(last.uuid))!
    const written = answer(last.position, { ...last, revision: revision + 1 })
    await store.chats.rewrite(written, trace({ verdict: step.verdict }))
    known.turns[at]!.verdict = step.verdict
  }
}

export const chatCountCases: StoreCases = {
  async 'the counts add up after any sequence of turns, feedback, rewritten answers and erasures'(store) {
    await store.projects.insert(project())
    let runs = 0
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 5, maxLength: 20, size: 'max' }), async (steps) => {
        const chats: Chats = new Map()
        const prefix = `r${runs++}`
        for (const each of steps) {
          await take(store, chats, prefix, each)
          assert.deepEqual(await tallies(store), expected(chats))
        }
        for (const uuid of chats.keys()) await store.chats.delete('p1', uuid)
      }),
      { numRuns: 10, endOnFailure: true },
    )
  },
  async 'counts a turn once, by its outcome'(store) {
    await withTurn(store)
    assert.deepEqual(await tallies(store), [{ day: first, counts: turn }])
    await store.chats.append(answer(1), trace(), null)
    await store.chats.append(question(0), null, { hash: 'w1', at: atMinute(2), email: null })
    assert.deepEqual(await tallies(store), [{ day: first, counts: turn }])
    assert.deepEqual(await tallies(store, allDays, 'p2'), [])
    assert.deepEqual(await keysOf(store.chats, first, 'question'), ['Question 0?'])
    assert.deepEqual(await keysOf(store.chats, second, 'question'), [])
    assert.deepEqual(await store.chats.daily('p1', allDays, []), [])
  },
  async 'counts answers on their day, and only those of the first kind as answered'(store) {
    await withTurn(store)
    await store.projects.insert(project('p2'))
    await store.chats.insert(chat('other', { project: 'p2' }))
    const ends = [
      ['refused', 6],
      ['pointed', 7],
      ['answered', day],
      [null, day],
    ] as const
    for (const [n, [verdict, minute]] of ends.entries()) {
      await store.chats.append(question(2 * n + 2, { content: ' Same  question ' }), null, null)
      const end = answer(2 * n + 3, { createdAt: atMinute(minute) })
      await store.chats.append(end, trace({ verdict }), null)
    }
    const elsewhere = answer(1, { uuid: 'elsewhere', chat: 'other', project: 'p2', createdAt: atMinute(7) })
    await store.chats.append(elsewhere, trace({ verdict: 'pointed' }), null)
    const later = { answered: { '': 1 }, asked_on: { [page]: 1 }, question: { 'Same question': 1 } }
    assert.deepEqual(await tallies(store), [
      {
        day: first,
        counts: {
          ...turn,
          message: { '': 5 },
          user: { 'ann@docs.test': 5 },
          pointed: { '': 1 },
          refused: { '': 1 },
          asked_on: { [page]: 3 },
          question: { 'Question 0?': 1, 'Same question': 2 },
          unanswered: { 'Same question': 2 },
        },
      },
      { day: second, counts: { ...later, cited: { [page]: 1 } } },
    ])
    assert.deepEqual(await tallies(store, { from: second, to: second }), [
      { day: second, counts: { ...later, cited: { [page]: 1 } } },
    ])
    assert.deepEqual(
      (await tallies(store, { from: first, to: first })).map((tally) => tally.day),
      [first],
    )
    const written = answer(3, { revision: 2, createdAt: atMinute(6) })
    await store.chats.rewrite(written, trace({ verdict: 'answered' }))
    const [today] = await tallies(store)
    assert.deepEqual(today!.counts.answered, { '': 2 })
    assert.equal(today!.counts.refused, undefined)
    assert.deepEqual(today!.counts.unanswered, { 'Same question': 1 })
  },
  async 'counts the latest feedback, and an e-mail for all messages of its chat'(store) {
    await store.projects.insert(project())
    await store.chats.insert(chat('chat', { email: null, url: null }))
    await store.chats.append(question(0), null, null)
    await store.chats.append(answer(1), trace(), null)
    assert.equal((await tallies(store))[0]!.counts.user, undefined)
    await store.chats.react('a1', { reaction: 0, comment: null })
    assert.deepEqual((await tallies(store))[0]!.counts.negative, { '': 1 })
    await store.chats.react('a1', { reaction: 1, comment: null })
    // Stores the counts of the day, which the late e-mail changes.
    assert.equal((await tallies(store))[0]!.counts.user, undefined)
    const late = question(2, { createdAt: atMinute(day) })
    await store.chats.append(late, null, { hash: 'w', at: atMinute(day), email: 'bob@docs.test' })
    const [today, tomorrow] = await tallies(store)
    assert.deepEqual(today!.counts.positive, { '': 1 })
    assert.equal(today!.counts.negative, undefined)
    assert.deepEqual(today!.counts.user, { 'bob@docs.test': 1 })
    assert.deepEqual(today!.counts.asked_on, { '': 1 })
    assert.deepEqual(tomorrow!.counts, { message: { '': 1 }, user: { 'bob@docs.test': 1 } })
  },
  async 'counts nothing erased: a chat, a person, expired chats, a project'(store) {
    const erasures: ((store: Store) => Promise<unknown>)[] = [
      ({ chats }) => chats.delete('p1', 'c0'),
      ({ chats }) => chats.deleteByEmail('p1', 'ann@docs.test'),
      ({ chats }) => chats.expire('p1', atMinute(9), 9),
    ]
    await store.projects.insert(project())
    await store.chats.insert(chat('kept', { email: null, updatedAt: atMinute(day) }))
    await store.chats.append(question(0, { uuid: 'k0', chat: 'kept' }), null, null)
    const kept = [{ day: first, counts: { chat: { '': 1 }, message: { '': 1 } } }]
    for (const [n, erase] of erasures.entries()) {
      const uuid = `c${n}`
      await store.chats.insert(chat(uuid))
      await store.chats.append(question(0, { uuid: `${uuid}-0`, chat: uuid }), null, null)
      await store.chats.append(answer(1, { uuid: `${uuid}-1`, chat: uuid }), trace(), null)
      assert.deepEqual((await tallies(store))[0]!.counts.message, { '': 2 })
      assert.equal(Number(await erase(store)), 1)
      assert.deepEqual(await tallies(store), kept)
      for (const measure of ['user', 'question', 'cited'] as const)
        assert.deepEqual(await keysOf(store.chats, first, measure), [])
    }
    await store.projects.delete('p1')
    assert.deepEqual(await tallies(store), [])
    assert.deepEqual(await keysOf(store.chats, first, 'message'), [])
  },
  async 'counts all concurrent messages'(store) {
    await withTurn(store)
    assert.deepEqual((await tallies(store))[0]!.counts.message, { '': 1 })
    await Promise.all(
      Array.from({ length: 8 }, async (_, n) => {
        await store.chats.insert(chat(`c${n}`))
        await store.chats.append(question(0, { uuid: `c${n}-0`, chat: `c${n}` }), null, null)
        await tallies(store)
      }),
    )
    assert.deepEqual((await tallies(store))[0]!.counts.message, { '': 9 })
  },
}
