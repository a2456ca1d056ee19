// A unit as bytes: what ranking reads of every candidate is quick to decode, the text is decoded for results only.
import type { Hit, Unit } from '../search-index.ts'

export type StoredUnit = Hit['unit']

const newline = 10

/** One line of JSON, one of body terms, then the text to the end. */
export function encodeUnit({ vector: _, text, bodyTerms, ...head }: Unit): Buffer {
  return Buffer.from(`${JSON.stringify(head)}\n${bodyTerms}\n${text}`)
}

export function decodeUnit(bytes: Buffer): StoredUnit {
  const headEnd = bytes.indexOf(newline)
  const termsEnd = bytes.indexOf(newline, headEnd + 1)
  return {
    ...(JSON.parse(bytes.toString('utf8', 0, headEnd)) as Omit<StoredUnit, 'text' | 'bodyTerms'>),
    bodyTerms: bytes.toString('utf8', headEnd + 1, termsEnd),
    get text() {
      return bytes.toString('utf8', termsEnd + 1)
    },
  }
}
