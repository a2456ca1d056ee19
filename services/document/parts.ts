// A document's sections in parts of limited length, as pages of Lectern's own show them.
import type { Block, FilePlace, Section, SectionName } from '../../crawler/extract/page.ts'
import { cutBlock } from '../index/passages.ts'

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
