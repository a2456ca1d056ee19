// A document's sections in pieces of limited length: parts, as Lectern's own pages show them, and chunks of Markdown.
import type { Block, FilePlace, Section, SectionName } from '../../crawler/extract/page.ts'
import { cutBlock } from '../index/passages.ts'
import { chooseFence, fenced } from '../search/passage.ts'

/** Characters of a part: of its texts, and of what a page has around them. */
const maxPart = 200_000
const aroundSection = 200
const aroundBlock = 100
/** Of other parts. */
const maxEntries = 1_000

interface PartSection {
  /** None where a section goes on that began in the part before. */
  names: SectionName[]
  depth: number
  blocks: Pick<Block, 'kind' | 'text'>[]
  place: FilePlace
}

/** At least one. Cut between blocks, a long block at a line's or sentence's end. */
export function toParts(sections: Section[]): PartSection[][] {
  const parts: PartSection[][] = [[]]
  let length = 0

  /** Opens another part where there is no room for so much. */
  function makeRoom(needed: number): boolean {
    const isFull = length > 0 && length + needed > maxPart
    if (isFull) {
      parts.push([])
      length = 0
    }
    length += needed
    return isFull
  }

  for (const { heading, anchor, also = [], path, blocks, place = {} } of sections) {
    const names = [{ heading, anchor }, ...also].filter((name) => name.heading !== '' || name.anchor !== null)
    const pieces = blocks.flatMap(({ kind, text }) =>
      cutBlock(text, maxPart / 2).map((piece) => ({ kind, text: piece })),
    )
    const first = pieces[0]?.text.length ?? 0
    makeRoom(names.reduce((sum, name) => sum + aroundSection + name.heading.length, aroundBlock + first))
    let open: PartSection = { names, depth: path.length, blocks: pieces.slice(0, 1), place }
    parts.at(-1)!.push(open)
    for (const piece of pieces.slice(1)) {
      if (makeRoom(aroundBlock + piece.text.length)) {
        open = { ...open, names: [], blocks: [] }
        parts.at(-1)!.push(open)
      }
      open.blocks.push(piece)
    }
  }
  return parts
}

/** Sections of all parts but the first that an address can lead to. `part` counts from 1. */
export function toEntries(parts: PartSection[][]): { heading: string; anchor: string; part: number }[] {
  const entries: { heading: string; anchor: string; part: number }[] = []
  for (const [at, sections] of parts.entries()) {
    for (const { heading, anchor } of at === 0 ? [] : sections.flatMap(({ names }) => names)) {
      if (entries.length === maxEntries) return entries
      if (anchor !== null) entries.push({ heading, anchor, part: at + 1 })
    }
  }
  return entries
}

/** Characters of a chunk. */
export const maxChunk = 20_000
/** A text of nothing but backticks would be surrounded by as many again. */
const maxFence = 100
/** Characters of a chunk that may not be the block's: the heading, two fences, the lines between. */
const aroundChunkBlock = 500 + 2 * maxFence + 20

/** The chunks in order. Cut between blocks, a long block at a line's or sentence's end. Nothing is lost but white space at cuts. */
export function toChunks(sections: Section[]): string[] {
  return sections.flatMap(({ heading, also = [], blocks }) => {
    const headings = [heading, ...also.map((name) => name.heading)].filter((name) => name !== '')
    return joinTexts([...headings.map((name) => `## ${name}`), ...blocks.flatMap(toMarkdown)])
  })
}

function toMarkdown({ kind, text }: Block): string[] {
  const pieces = cutBlock(text, maxChunk - aroundChunkBlock)
  if (kind !== 'code') return pieces
  const fence = chooseFence(text).slice(0, maxFence)
  return pieces.map((piece) => fenced(piece, fence))
}

/** As few texts of limited length as the parts go into; at least one. */
function joinTexts(parts: string[]): string[] {
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
