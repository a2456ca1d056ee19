import fc from 'fast-check'
import { expect, test } from 'vitest'
import { createThoughtFilter } from './openai-model.ts'

const read = (pieces: string[]) => {
  const filter = createThoughtFilter()
  return pieces.map((piece) => filter(piece))
}

/** The text cut at the given places, in any order, some of them beyond its end. */
const cut = (text: string, places: number[]) => {
  const edges = [0, ...places.map((place) => place % (text.length + 1)).sort((a, b) => a - b), text.length]
  return edges.slice(1).map((edge, n) => text.slice(edges[n], edge))
}

test('the worked example', () => {
  expect(read(['<thi', 'nk>Let me see.</th', 'ink>\n\nCall ', 'f().'])).toEqual(['', '', 'Call ', 'f().'])
})

test('text comes at once where no thought can begin', () => {
  expect(read(['H', 'i', ' <think>'])).toEqual(['H', 'i', ' <think>'])
  expect(read(['\n', '<', 'b>'])).toEqual(['', '', '\n<b>'])
})

test('thoughts without an end say nothing', () => {
  expect(read(['<think>', 'on and', ' on']).join('')).toBe('')
})

test('how the text is cut makes no difference', () => {
  fc.assert(
    fc.property(
      fc.constantFrom(
        '',
        '<think>',
        '  <think>a < b</thin </think>\n\n',
        '<think></think>',
        '<thin',
        '<thinker>',
      ),
      fc.string(),
      fc.array(fc.nat()),
      (before, after, places) => {
        const text = before + after
        expect(read(cut(text, places)).join('')).toBe(read([text]).join(''))
      },
    ),
  )
})

test('what follows thoughts is the answer', () => {
  fc.assert(
    fc.property(fc.string({ minLength: 1 }), fc.array(fc.nat()), (answer, places) => {
      fc.pre(answer.trimStart() === answer)
      expect(read(cut(`<think>a\n</thing></think>\n\n${answer}`, places)).join('')).toBe(answer)
    }),
  )
})
