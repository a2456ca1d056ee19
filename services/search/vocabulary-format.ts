// A vocabulary as bytes: sorted terms share what they begin with, numbers are as long as they need (LEB128).
//
//   version · units · number of terms · for each: letters shared with the term before, bytes that follow, those bytes,
//   units, units in headings
import { emptyVocabulary, type Vocabulary } from './vocabulary.ts'

const version = 1

export function encodeVocabulary({ units, terms, counts, inHeadings }: Vocabulary): Uint8Array {
  let bytes = Buffer.alloc(64 + terms.length * 16)
  let length = 0
  const room = (more: number) => {
    if (length + more > bytes.length) bytes = Buffer.concat([bytes], 2 * (length + more))
  }
  const number = (value: number) => {
    room(5)
    for (; value > 127; value >>>= 7) bytes[length++] = (value & 127) | 128
    bytes[length++] = value
  }

  number(version)
  number(units)
  number(terms.length)
  let before = ''
  for (const [place, term] of terms.entries()) {
    const shared = sharedLength(before, term)
    const rest = Buffer.from(term.slice(shared))
    number(shared)
    number(rest.length)
    room(rest.length)
    length += rest.copy(bytes, length)
    number(counts[place]!)
    number(inHeadings[place]!)
    before = term
  }
  return bytes.subarray(0, length)
}

/** Bytes of another version stand for nothing: the vocabulary is derived, and made again by the next sync. */
export function decodeVocabulary(encoded: Uint8Array): Vocabulary {
  const bytes = Buffer.from(encoded.buffer, encoded.byteOffset, encoded.byteLength)
  let at = 0
  const number = () => {
    let value = 0
    for (let shift = 0; ; shift += 7) {
      const byte = bytes[at++]!
      value |= (byte & 127) << shift
      if (byte < 128) return value >>> 0
    }
  }

  if (bytes.length === 0 || number() !== version) return emptyVocabulary
  const units = number()
  const size = number()
  const terms = new Array<string>(size)
  const counts = new Uint32Array(size)
  const inHeadings = new Uint32Array(size)
  let before = ''
  for (let place = 0; place < size; place++) {
    const shared = number()
    const rest = number()
    before = before.slice(0, shared) + bytes.toString('utf8', at, at + rest)
    at += rest
    terms[place] = before
    counts[place] = number()
    inHeadings[place] = number()
  }
  return { units, terms, counts, inHeadings }
}

/** Never ends between the halves of one character. */
function sharedLength(a: string, b: string): number {
  const max = Math.min(a.length, b.length)
  let shared = 0
  while (shared < max && a.charCodeAt(shared) === b.charCodeAt(shared)) shared++
  const last = a.charCodeAt(shared - 1)
  return last >= 0xd800 && last <= 0xdbff ? shared - 1 : shared
}
