// Text in pages of limited length for clients that count tokens: cut at the borders of its parts, which are sections.

/** Contents of a cursor: the next part, and how much of it has been read. */
interface Cursor {
  part: number
  /** In UTF-16 code units. */
  offset: number
}

export interface Page {
  text: string
  /** Numbers of the parts in it, from 0. */
  parts: number[]
  /** For the page that follows; null at the end. */
  cursor: string | null
}

const separator = '\n\n'

/**
 * About as many tokens as models of today make of it: one for each ideograph, one for four other characters.
 *
 *   'Install it' → 3
 */
export function countTokens(text: string): number {
  const ideographs =
    text.match(/[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}]/gu)?.length ?? 0
  return ideographs + Math.ceil((text.length - ideographs) / 4)
}

/**
 * The parts from `cursor` on that fit into `maxTokens`. A part that does not fit by itself is cut where a line or a word
 * ends. `parts` are those from number `first` on. Null where the cursor is none that a page of these parts gave.
 */
export function toPage(parts: readonly string[], cursor: string, maxTokens: number, first = 0): Page | null {
  const start = readCursor(cursor)
  if (start === null || start.part < first || start.part > first + parts.length) return null
  if (start.offset > (parts[start.part - first]?.length ?? 0)) return null
  const shown: string[] = []
  const numbers: number[] = []
  let left = maxTokens
  let { part, offset } = start
  while (part < first + parts.length) {
    const rest = parts[part - first]!.slice(offset)
    const tokens = countTokens(rest)
    if (tokens > left && shown.length > 0) break
    numbers.push(part)
    if (tokens > left) {
      const end = cutPlace(rest, left)
      shown.push(rest.slice(0, end).trimEnd())
      offset += end
      break
    }
    shown.push(rest)
    left -= tokens
    part += 1
    offset = 0
  }
  const isEnd = part >= first + parts.length
  return { text: shown.join(separator), parts: numbers, cursor: isEnd ? null : toCursor(part, offset) }
}

export function toCursor(part: number | string, offset = 0): string {
  return `${part}.${offset}`
}

/** The number of the first part of a page; 0 for an invalid cursor, which toPage refuses. */
export function firstPart(cursor: string): number {
  return readCursor(cursor)?.part ?? 0
}

function readCursor(cursor: string): Cursor | null {
  if (cursor === '') return { part: 0, offset: 0 }
  const [, part, offset] = /^(\d{1,6})\.(\d{1,9})$/.exec(cursor) ?? []
  return part === undefined ? null : { part: Number(part), offset: Number(offset) }
}

/** Where to cut the text so that the head has at most `maxTokens`; at least one character. */
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
  // Never between the halves of one character.
  const half = text.charCodeAt(low - 1)
  return half >= 0xd800 && half <= 0xdbff && low > 1 ? low - 1 : low
}
