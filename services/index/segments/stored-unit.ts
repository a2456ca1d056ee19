// A unit as bytes: what ranking reads of every candidate is quick to decode; of its text, what is kept is made from the bytes
// when it is asked for.
import type { Unit } from '../search-index.ts'

const newline = 10

/** One line of JSON, one of body terms, then the text to the end. */
export function encodeUnit({ text, bodyTerms, ...head }: Unit): Buffer {
  return Buffer.from(`${JSON.stringify(head)}\n${bodyTerms}\n${text}`)
}

export function decodeUnit(bytes: Buffer): Unit {
  const headEnd = bytes.indexOf(newline)
  const termsEnd = bytes.indexOf(newline, headEnd + 1)
  return {
    ...(JSON.parse(bytes.toString('utf8', 0, headEnd)) as Omit<Unit, 'text' | 'bodyTerms'>),
    get bodyTerms() {
      return bytes.toString('utf8', headEnd + 1, termsEnd)
    },
    get text() {
      return bytes.toString('utf8', termsEnd + 1)
    },
  }
}
