// Splits the content of a section into the texts of its units, of a length suited to search, between blocks if possible.
import type { Block } from '../../crawler/extract/page.ts'

/** Characters, about 350 words. A unit ends before a block that would exceed it. */
const defaultLength = 2_200
/** A longer block is split at the end of a line or sentence. */
const maxBlock = 2_800

/** Minimum average length: two consecutive units together are longer than the default length. */
export const minUnitLength = defaultLength / 2

/** Maximum units of a text of this length, with blocks separated by two characters. */
export function maxUnitTexts(length: number): number {
  return 1 + Math.floor(length / minUnitLength)
}

export interface UnitText {
  text: string
  /** Positions of code blocks and inline code in `text`: begin, end, begin, … */
  code: number[]
  /** The blocks, or pieces of blocks, that it consists of. */
  blocks: Block[]
}

/** The texts in order; one empty text for a section without content. Only white space at the cuts is lost. */
export function toUnitTexts(blocks: Block[]): UnitText[] {
  return toPieces(blocks).map((pieces) => {
    const code: number[] = []
    let text = ''
    for (const piece of pieces) {
      if (text !== '') text += '\n\n'
      const own = piece.kind === 'code' ? [0, piece.text.length] : (piece.code ?? [])
      for (const place of own) code.push(text.length + place)
      text += piece.text
    }
    return { text, code, blocks: pieces }
  })
}

/** The blocks, or pieces of blocks, of each unit. The links of a block are divided among its pieces by length. */
export function toPieces(blocks: Block[]): Block[][] {
  const units: Block[][] = []
  let open: Block[] = []
  let length = 0
  for (const { kind, text, code: spans = [], linked = 0 } of blocks) {
    let end = 0
    for (const piece of cutBlock(text, defaultLength, maxBlock)) {
      const start = text.indexOf(piece, end)
      end = start + piece.length
      const code = cutSpans(spans, start, end)
      if (open.length > 0 && length + piece.length > defaultLength) {
        units.push(open)
        open = []
        length = 0
      }
      length += piece.length + (open.length > 0 ? 2 : 0)
      const share = Math.round((linked * piece.length) / text.length)
      open.push({
        ...{ kind, text: piece },
        ...(code.length > 0 && { code }),
        ...(share > 0 && { linked: share }),
      })
    }
  }
  if (open.length > 0 || units.length === 0) units.push(open)
  return units
}

/** The parts of the spans between `start` and `end`, relative to `start`. */
function cutSpans(spans: number[], start: number, end: number): number[] {
  const cut: number[] = []
  for (let at = 0; at < spans.length; at += 2) {
    const span = [Math.max(start, spans[at]!), Math.min(end, spans[at + 1]!)] as const
    if (span[0] < span[1]) cut.push(span[0] - start, span[1] - start)
  }
  return cut
}

/** Splits the text into pieces of at most `length` + 1 characters. Does not split a text of at most `max` characters. */
export function cutBlock(text: string, length: number, max = length): string[] {
  if (text.length <= max) return [text]
  const pieces: string[] = []
  let start = 0
  while (text.length - start > max) {
    const end = cutPlace(text, start, length)
    pieces.push(text.slice(start, end).trimEnd())
    start = end
  }
  pieces.push(text.slice(start))
  return pieces.filter((piece) => piece.trim() !== '')
}

/** Returns the end of the last line, else sentence, else word in the second half of the length; else the full length. */
function cutPlace(text: string, start: number, length: number): number {
  const end = start + length
  for (const mark of ['\n', '. ', '。', ' ']) {
    // Searches the piece only: searching a long text without the mark for each piece would take quadratic time.
    const at = text.slice(start, end + mark.length).lastIndexOf(mark)
    if (at > length / 2) return start + at + mark.length
  }
  // Not within a surrogate pair.
  const half = text.charCodeAt(end - 1)
  return half >= 0xd800 && half <= 0xdbff ? end - 1 : end
}
