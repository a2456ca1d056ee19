// Splits a document into pieces of limited length: parts, for the pages that Lectern serves itself, and chunks of Markdown.
import type { Block, FilePlace, Section, SectionName } from '../../crawler/extract/page.ts'
import { cutBlock } from '../index/unit-texts.ts'
import { chooseFence, fenced } from '../search/passage.ts'

/** Maximum characters of a part, and the markup that a page adds to each section and block. */
const maxPart = 200_000
const aroundSection = 200
const aroundBlock = 100
/** Maximum entries that link to other parts. */
const maxEntries = 1_000

interface PartSection {
  /** Empty if the section began in the previous part. */
  names: SectionName[]
  depth: number
  blocks: Pick<Block, 'kind' | 'text'>[]
  place: FilePlace
}

/** Returns at least one part. Splits between blocks, and long blocks at the end of a line or sentence. */
export function toParts(sections: Section[]): PartSection[][] {
  const parts: PartSection[][] = [[]]
  let length = 0

  /** Opens another part if this one lacks room. Returns whether it did. */
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

/** Sections with an anchor, in all parts except the first. `part` starts at 1. */
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

/** Maximum characters of a chunk. */
export const maxChunk = 20_000
/** Limits the fence of a text that consists of backticks. */
const maxFence = 100
/** Characters of a chunk reserved for the heading, two fences and the lines between. */
const aroundChunkBlock = 500 + 2 * maxFence + 20

export interface Chunk extends FilePlace {
  content: string
}

/** Splits like `toParts`, in order. Only white space at the cuts is lost. */
export function toChunks(sections: Section[]): Chunk[] {
  return sections.flatMap(({ heading, also = [], blocks, place }) => {
    const headings = [heading, ...also.map((name) => name.heading)].filter((name) => name !== '')
    const texts = joinTexts([...headings.map((name) => `## ${name}`), ...blocks.flatMap(toMarkdown)])
    return texts.map((content) => ({ content, ...place }))
  })
}

function toMarkdown({ kind, text }: Block): string[] {
  const pieces = cutBlock(text, maxChunk - aroundChunkBlock)
  if (kind !== 'code') return pieces
  const fence = chooseFence(text).slice(0, maxFence)
  return pieces.map((piece) => fenced(piece, fence))
}

/** Joins the parts into as few chunks as possible, at least one. */
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
