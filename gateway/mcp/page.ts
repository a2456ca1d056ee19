// Splits text into pages of limited length, for clients that count tokens. Pages end where a section ends, if possible.

/** Contents of a cursor: the next part, and how much of it has been read. */
interface Cursor {
  part: number
  /** In UTF-16 code units. */
  offset: number
}

export interface Page {
  text: string
  /** Numbers of the parts on the page, from 0. */
  parts: number[]
  /** Cursor of the next page, or null. */
  cursor: string | null
}

const separator = '\n\n'

/**
 * Estimates the tokens of a text: one per ideograph, one per four other characters.
 *
 *   'Install it' → 3
 */
export function countTokens(text: string): number {
  const ideographs =
    text.match(/[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}]/gu)?.length ?? 0
  return ideographs + Math.ceil((text.length - ideographs) / 4)
}

/**
 * The parts from `cursor` on that fit into `maxTokens`. A part that is too long by itself is cut at the end of a line or
 * word. `first`: number of `parts[0]`. Null if the cursor is not one of these parts.
 */
export function toPage(parts: readonly string[], cursor: string, maxTokens: number, first = 0): Page | null {
  const start = readCursor(cursor)
  if (start === null || start.part < first || start.part > first + parts.length) return null
  if (start.offset > (parts[start.part - first]?.length ?? 0)) return null
  const texts: string[] = []
  const numbers: number[] = []
  let left = maxTokens
  let { part, offset } = start
  while (part < first + parts.length) {
    const rest = parts[part - first]!.slice(offset)
    const tokens = countTokens(rest)
    if (tokens > left && texts.length > 0) break
    numbers.push(part)
    if (tokens > left) {
      const end = cutPlace(rest, left)
      texts.push(rest.slice(0, end).trimEnd())
      offset += end
      break
    }
    texts.push(rest)
    left -= tokens
    part += 1
    offset = 0
  }
  const isEnd = part >= first + parts.length
  return { text: texts.join(separator), parts: numbers, cursor: isEnd ? null : toCursor(part, offset) }
}

export function toCursor(part: number | string, offset = 0): string {
  return `${part}.${offset}`
}

/** The number of the first part of a page. Returns 0 for an invalid cursor, which `toPage` refuses. */
export function firstPart(cursor: string): number {
  return readCursor(cursor)?.part ?? 0
}

function readCursor(cursor: string): Cursor | null {
  if (cursor === '') return { part: 0, offset: 0 }
  const [, part, offset] = /^(\d{1,6})\.(\d{1,9})$/.exec(cursor) ?? []
  return part === undefined ? null : { part: Number(part), offset: Number(offset) }
}

/** The offset at which the text before has at most `maxTokens`, and at least one character. */
function cutPlace(text: string, maxTokens: number): number {
  let [low, high] = [1, Math.min(text.length, 4 * maxTokens)]
  while (low < high) {
    const middle = Math.ceil((low + high) / 2)
    if (countTokens(text.slice(0, middle)) <= maxTokens) low = middle
    else high = middle - 1
  }
  for (const mark of ['\n', ' ']) {
    const at = text.lastIndexOf(mark, low - 1)
    if (at > low / 2) return at + 1
  }
  // Never splits a surrogate pair.
  const half = text.charCodeAt(low - 1)
  return half >= 0xd800 && half <= 0xdbff && low > 1 ? low - 1 : low
}
