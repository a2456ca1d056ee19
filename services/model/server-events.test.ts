import fc from 'fast-check'
import { expect, test } from 'vitest'
import { createEventReader, type ServerEvent } from './server-events.ts'

/** Reads the pieces one after the other. */
function read(...pieces: string[]): ServerEvent[] {
  const take = createEventReader()
  return pieces.flatMap((piece) => take(piece))
}

test.each<[what: string, text: string, events: ServerEvent[]]>([
  ['one line', 'data: a\n\n', [{ name: '', data: 'a' }]],
  ['a name', 'event: ping\ndata: {}\n\n', [{ name: 'ping', data: '{}' }]],
  ['a name of one event alone', 'event: a\ndata: 1\n\ndata: 2\n\n', [ev('a', '1'), ev('', '2')]],
  ['several lines of data', 'data: a\ndata:\ndata: b\n\n', [ev('', 'a\n\nb')]],
  ['one space after the colon goes', 'data:a\n\ndata:  b\n\n', [ev('', 'a'), ev('', ' b')]],
  ['colons of the value stay', 'data: a: b\n\n', [ev('', 'a: b')]],
  ['comments and other fields say nothing', ': alive\nid: 7\nretry: 1\nwhat\ndata: a\n\n', [ev('', 'a')]],
  ['without data there is no event', 'event: a\n\n: b\n\n\n\n', []],
  ['data without a colon is empty', 'data\n\n', [ev('', '')]],
  ['what has not ended is none', 'data: a\n\ndata: b\n', [ev('', 'a')]],
  [
    'lines may end otherwise',
    'data: a\r\n\r\ndata: b\r\rdata: c\n\n',
    [ev('', 'a'), ev('', 'b'), ev('', 'c')],
  ],
])('%s', (_, text, events) => {
  expect(read(text)).toEqual(events)
})

function ev(name: string, data: string): ServerEvent {
  return { name, data }
}

test('the events are the same however the text is cut', () => {
  const line = fc.constantFrom('data: a', 'data: ü🙂', 'event: e', ': c', '', '', 'data')
  const ends = fc.constantFrom('\n', '\r\n', '\r')
  const text = fc.array(fc.tuple(line, ends)).map((lines) => `${lines.flat().join('')}\n\n`)
  fc.assert(
    fc.property(text, fc.array(fc.nat({ max: 200 })), (text, cuts) => {
      const at = [0, ...cuts.filter((cut) => cut < text.length).toSorted((a, b) => a - b), text.length]
      const pieces = at.slice(1).map((end, n) => text.slice(at[n], end))
      expect(read(...pieces)).toEqual(read(text))
    }),
  )
})

test('an event without an end is refused', () => {
  const take = createEventReader()
  const piece = 'x'.repeat(100_000)
  expect(() => {
    for (let times = 0; times < 21; times++) take(`data: ${piece}\n`)
  }).toThrow('no end')
  expect(() => createEventReader()(piece.repeat(21))).toThrow('no end')
})
