// A turn on a screen: what is drawn is taken back where the final text is another.
import { create } from '@bufbuild/protobuf'
import { expect, test } from 'vitest'
import { StopReason, TurnEventSchema, TurnStage, TurnState } from '../gen/lectern/v1/turn_pb.js'
import { createAnswerPrinter, takeBack } from './ask.ts'

function print(isTTY: boolean, texts: string[], final: string, rest: object = {}) {
  const written = { out: '', err: '' }
  const output = (name: 'out' | 'err') => ({
    ...{ isTTY, columns: 20, rows: 10 },
    write(text: string) {
      written[name] += text
    },
  })
  const printer = createAnswerPrinter(output('out'), output('err'))
  const stage = { sequence: 1, stage: TurnStage.SEARCHING_DOCS, state: TurnState.STARTED }
  const aiMessage = { message: final, stopReason: StopReason.STOP }
  const events = [
    { case: 'status' as const, value: stage },
    ...texts.map((text) => ({ case: 'token' as const, value: { text } })),
    { case: 'final' as const, value: { aiMessage, ...rest } },
  ]
  for (const event of events) printer.event(create(TurnEventSchema, { event }))
  return written
}

test('an answer that stays as it was written is written once', () => {
  const { out, err } = print(true, ['One ', 'two.'], 'One two.')
  expect(out).toBe('One two.\n')
  expect(err).toBe('\r\u001b[2KSearching the documentation…\r\u001b[2K')
})

test('a draft that changes is taken back', () => {
  expect(print(true, ['One [4]\ntwo.'], 'One [1]\ntwo.').out).toBe(
    'One [4]\ntwo.\u001b[1A\r\u001b[JOne [1]\ntwo.\n',
  )
})

test('where nobody watches, only the final text is written', () => {
  expect(print(false, ['One [4]'], 'One [1]')).toEqual({ out: 'One [1]\n', err: '' })
})

test('a draft that broke off stays', () => {
  const { out, err } = print(true, ['Half an'], 'The model is away.', { isError: true })
  expect(out).toBe('Half an\n')
  expect(err).toContain('lectern: The model is away.\n')
})

test.each([
  ['', ''],
  ['short', '\r\u001b[J'],
  ['a line that wraps at twenty', '\u001b[1A\r\u001b[J'],
  ['twenty columns whole', '\r\u001b[J'],
  ['検索エンジンの設定です', '\u001b[1A\r\u001b[J'],
  ['a\n\nb', '\u001b[2A\r\u001b[J'],
  ['a\n'.repeat(10), '\n────────────────────\n'],
])('%j', (draft, expected) => {
  expect(takeBack(draft, { write() {}, columns: 20, rows: 10 })).toBe(expected)
})
