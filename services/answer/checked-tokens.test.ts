import fc from 'fast-check'
import { expect, test } from 'vitest'
import { createCheckedTokens, rememberObjections } from './checked-tokens.ts'

/** A check that removes `[9]` and keeps every other citation. */
const toChecked = (draft: string) => draft.replace(/\s*\[9\]/g, '').trimEnd()

/** What was sent after each piece, and at the end of the answer. */
async function stream(pieces: string[], { holds = true, draft = '', end = '', isCostly = false } = {}) {
  const sent: string[] = []
  const seen: string[] = []
  const check = async (text: string) => toChecked(text)
  const tokens = createCheckedTokens({
    draft,
    holds,
    check: isCostly ? null : check,
    send: (text) => sent.push(text),
  })
  for (const piece of pieces) {
    tokens.push(piece)
    await new Promise(setImmediate)
    seen.push(sent.join(''))
  }
  await tokens.end(holds ? toChecked(draft + pieces.join('')) + end : pieces.join('') + end)
  return { seen, sent, text: draft + sent.join('') }
}

test('text without a bracket is sent at once', async () => {
  const { seen } = await stream(['One', ' two.\n', '\nThree '])
  expect(seen).toEqual(['One', 'One two.', 'One two.\n\nThree'])
})

test('a citation waits until its block is complete and checked', async () => {
  const { seen, text } = await stream([
    'It is so',
    ' [1]. It is',
    ' not [9].',
    '\n\n',
    'Next',
    ' one.\n\nLast',
    ' [9].',
  ])
  expect(seen).toEqual([
    'It is so',
    'It is so',
    'It is so',
    'It is so',
    'It is so [1]. It is not.\n\nNext',
    'It is so [1]. It is not.\n\nNext one.\n\nLast',
    'It is so [1]. It is not.\n\nNext one.\n\nLast',
  ])
  expect(text).toBe('It is so [1]. It is not.\n\nNext one.\n\nLast.')
})

test('a block that leads to an example waits for it', async () => {
  const { seen } = await stream(['Do this [1]:\n\n', '```\nx\n', '```\n\n', 'Then\n'])
  expect(seen).toEqual(['Do this', 'Do this', 'Do this', 'Do this [1]:\n\n```\nx\n```\n\nThen'])
})

test('each item of a list is a block', async () => {
  const { seen } = await stream(['- one [1]\n', '- two [9]\n', '- three'])
  expect(seen.at(-1)).toBe('- one [1]\n- two\n- three')
})

test('what the end adds is sent', async () => {
  expect((await stream(['A [1].'], { end: '\n\nSee also: b' })).text).toBe('A [1].\n\nSee also: b')
  expect((await stream(['A [1].'], { holds: false, end: '\n\nSee also: b' })).sent).toEqual([
    'A [1].',
    '\n\nSee also: b',
  ])
})

test('nothing is checked before the end where a check costs a call of the model', async () => {
  const { seen, text } = await stream(['A [1].\n\n', 'B [9].\n\nC'], { isCostly: true })
  expect([seen, text]).toEqual([['A', 'A'], 'A [1].\n\nB.\n\nC'])
})

test('an answer that is continued is sent from where it was cut', async () => {
  const { sent, text } = await stream([' and more [9].\n\n', 'End'], { draft: 'One [1]' })
  expect(text).toBe('One [1] and more.\n\nEnd')
  expect(sent.join('')).toBe(' and more.\n\nEnd')
})

test('however the draft is cut, no citation is sent that the check removes', async () => {
  const part = fc.constantFrom('a', ' [1]', ' [9]', '. ', '\n', '\n\n', '- b', '```\n', ':', '`', '[', ']')
  await fc.assert(
    fc.asyncProperty(fc.array(part, { maxLength: 40, size: 'max' }), async (parts) => {
      const { seen, text } = await stream(parts)
      expect(text).toBe(toChecked(parts.join('')))
      for (const each of seen) expect(each).not.toMatch(/\[9\]/)
    }),
  )
})

test('a judge is asked about each pair once', async () => {
  const asked: string[] = []
  const judge = rememberObjections({
    isCostly: false,
    readEvidence: async () => [],
    async toObjections(pairs) {
      asked.push(...pairs.map(({ claim }) => claim.text))
      return pairs.map(({ claim }) => (claim.text === 'no' ? 'why' : null))
    },
  })
  const passage = { title: '', text: '' }
  const pairs = ['yes', 'no'].map((text) => ({ claim: { kind: 'prose' as const, text }, passage }))
  const { signal } = new AbortController()
  expect(await judge.toObjections(pairs, signal)).toEqual([null, 'why'])
  expect(await judge.toObjections([...pairs, { ...pairs[1]!, passage: { ...passage } }], signal)).toEqual([
    null,
    'why',
    'why',
  ])
  expect(asked).toEqual(['yes', 'no', 'no'])
})
