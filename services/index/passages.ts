// Cuts the content of a section into passages of a length that searches well, at the ends of blocks where it can.
import type { Block } from '../../crawler/extract/page.ts'

/** Characters: about 350 words. A passage ends before the block that would take it beyond. */
const defaultLength = 2_200
/** A single block longer than this is cut inside, at a line's or sentence's end. */
const maxBlock = 2_800

/** Two passages that follow each other are longer together than one may be: so long is each of them on average, at least. */
export const minPassageLength = defaultLength / 2

/** The most passages that a text of this length, its blocks parted by two characters, is cut into. */
export function maxPassages(length: number): number {
  return 1 + Math.floor(length / minPassageLength)
}

export interface PassageText {
  text: string
  /** Where code, blocks of it and code within a line, begins and ends in `text`: begin, end, begin, … */
  code: number[]
  /** Its blocks, or pieces of blocks. */
  blocks: Block[]
}

/** The passages in order; one empty passage for a section without content. Nothing is lost but white space at cuts. */
export function toPassages(blocks: Block[]): PassageText[] {
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

/** The same, each as the blocks, or pieces of blocks, that it is made of; of a piece's links its share by length is told. */
export function toPieces(blocks: Block[]): Block[][] {
  const passages: Block[][] = []
  let open: Block[] = []
  let length = 0
  for (const { kind, text, code: spans = [], linked = 0 } of blocks) {
    let end = 0
    for (const piece of cutBlock(text, defaultLength, maxBlock)) {
      const start = text.indexOf(piece, end)
      end = start + piece.length
      const code = cutSpans(spans, start, end)
      if (open.length > 0 && length + piece.length > defaultLength) {
        passages.push(open)
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
  if (open.length > 0 || passages.length === 0) passages.push(open)
  return passages
}

/** The spans, or their parts, from `start` to `end`, counted from `start`. */
function cutSpans(spans: number[], start: number, end: number): number[] {
  const cut: number[] = []
  for (let at = 0; at < spans.length; at += 2) {
    const span = [Math.max(start, spans[at]!), Math.min(end, spans[at + 1]!)] as const
    if (span[0] < span[1]) cut.push(span[0] - start, span[1] - start)
  }
  return cut
}

/** The text in pieces of about `length` characters, one more at most; whole where it has no more than `max`. */
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

/** After the last line, sentence or word that ends in the second half of the length; else right there. */
function cutPlace(text: string, start: number, length: number): number {
  const end = start + length
  for (const mark of ['\n', '. ', '。', ' ']) {
    // Looked for in the piece alone: where a long text has no such mark, it would be gone through for each of its pieces.
    const at = text.slice(start, end + mark.length).lastIndexOf(mark)
    if (at > length / 2) return start + at + mark.length
  }
  // Never between the halves of one character.
  const half = text.charCodeAt(end - 1)
  return half >= 0xd800 && half <= 0xdbff ? end - 1 : end
}
