// A document's text in chunks, as Markdown: one a section, several where a section is long.
import type { Block, Section } from '../../crawler/extract/page.ts'
import { cutBlock } from '../index/passages.ts'
import { fenced, fenceOf } from '../search/passage.ts'

/** Characters of a chunk. */
export const maxChunk = 20_000
/** A text of nothing but backticks would be surrounded by as many again. */
const maxFence = 100
/** Characters of a chunk that may not be the block's: the heading, two fences, the lines between. */
const aroundBlock = 500 + 2 * maxFence + 20

/** The chunks in order. Cut between blocks, a long block at a line's or sentence's end. Nothing is lost but white space at cuts. */
export function toChunks(sections: Section[]): string[] {
  return sections.flatMap(({ heading, also = [], blocks }) => {
    const headings = [heading, ...also.map((name) => name.heading)].filter((name) => name !== '')
    return join([...headings.map((name) => `## ${name}`), ...blocks.flatMap(toMarkdown)])
  })
}

function toMarkdown({ kind, text }: Block): string[] {
  const pieces = cutBlock(text, maxChunk - aroundBlock)
  if (kind !== 'code') return pieces
  const fence = fenceOf(text).slice(0, maxFence)
  return pieces.map((piece) => fenced(piece, fence))
}

/** As few texts of limited length as the parts go into; at least one. */
function join(parts: string[]): string[] {
  const chunks: string[] = []
  let open: string[] = []
  let length = 0
  for (const part of parts) {
    if (open.length > 0 && length + part.length + 2 > maxChunk) {
      chunks.push(open.join('\n\n'))
      open = []
      length = 0
    }
    length += part.length + 2
    open.push(part)
  }
  return [...chunks, open.join('\n\n')]
}
