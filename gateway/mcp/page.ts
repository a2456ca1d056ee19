// Splits text into pages of limited length, for clients that count tokens. Pages end where a section ends, if possible.
import { Refusal } from '../errors.ts'

/** Contents of a cursor: the next part, and how much of it has been read. */
interface Cursor {
  part: number
  /** In UTF-16 code units. */
  offset: number
}

export interface Page {
  text: string
  /** Number of parts on the page, the last of which may be cut. */
  count: number
  /** Cursor of the next page, or null. */
  cursor: string | null
}

const separator = '\n\n'

const ideograph = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}]/u

/** Quarters of a token. The first test is faster, and decides most characters. */
const weigh = (char: string) => (char >= '\u1100' && ideograph.test(char) ? 4 : char.length)

/**
 * Estimates the tokens of a text: one per ideograph, one per four other characters.
 *
 *   'Install it' → 3
 */
export function countTokens(text: string): number {
  let quarters = 0
  for (const char of text) quarters += weigh(char)
  return Math.ceil(quarters / 4)
}

/**
 * As many parts as fit into `maxTokens`. `parts`: those from the cursor on. A part that is too long by itself is cut at the end of
 * a line or word. Throws Refusal if the cursor is beyond its part.
 */
export function toPage(parts: readonly string[], start: Cursor, maxTokens: number): Page {
  const [first] = parts
  if (start.offset > (first?.length ?? 0)) throw invalidCursor()
  const texts: string[] = []
  let left = maxTokens
  let { offset } = start
  for (const [index, part] of parts.entries()) {
    const rest = part.slice(offset)
    const tokens = countTokens(rest)
    if (tokens > left) {
      if (texts.length === 0) {
        const end = cutPlace(rest, left)
        texts.push(rest.slice(0, end).trimEnd())
        offset += end
      }
      return {
        text: texts.join(separator),
        count: texts.length,
        cursor: toCursor(start.part + index, offset),
      }
    }
    texts.push(rest)
    left -= tokens
    offset = 0
  }
  return { text: texts.join(separator), count: texts.length, cursor: null }
}

export function toCursor(part: number | string, offset = 0): string {
  return `${part}.${offset}`
}

/** Throws Refusal. */
export function readCursor(cursor: string): Cursor {
  if (cursor === '') return { part: 0, offset: 0 }
  const [, part, offset] = /^(\d{1,6})\.(\d{1,9})$/.exec(cursor) ?? []
  if (part === undefined) throw invalidCursor()
  return { part: Number(part), offset: Number(offset) }
}

const invalidCursor = () =>
  new Refusal('invalid', 'cursor: must be the next_cursor of an answer to the same arguments.')

/** The offset at which the text before has at most `maxTokens`, and at least one character. */
function cutPlace(text: string, maxTokens: number): number {
  let end = 0
  let quarters = 0
  for (const char of text) {
    quarters += weigh(char)
    if (quarters > 4 * maxTokens && end > 0) break
    end += char.length
  }
  for (const mark of ['\n', ' ']) {
    const at = text.lastIndexOf(mark, end - 1)
    if (at > end / 2) return at + 1
  }
  return end
}
