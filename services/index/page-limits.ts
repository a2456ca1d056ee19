// How much of one page is kept. A section costs more than its text: names of the page and of the headings above stand in each
// of its units. Without a limit small pages with thousands of headings would fill a disk.
import { cutText } from '../../crawler/extract/limits.ts'
import type { Block, Section } from '../../crawler/extract/page.ts'
import type { PageContent } from '../store/page.ts'
import { maxPassages, minPassageLength } from './passages.ts'

/** Units of one page. */
const maxUnits = 5_000
/** Bytes on disk that a page may take: so many, and so many for each of its own. */
const room = { base: 800_000, perByte: 19 }
/**
 * Bytes on disk that the parts of a page come to at worst: their text and their place in store and index, and of each word
 * its terms, all of them new to the index.
 */
const cost = { unit: 500, block: 60, character: 17 }

/** The sections, from the first on, that have room: the last may be cut. `bytes`: length of the page as it was fetched. */
export function limitSections(
  { title, keywords, sections }: Pick<PageContent, 'title' | 'keywords' | 'sections'>,
  { url, bytes }: { url: string; bytes: number },
): { sections: Section[]; isCut: boolean } {
  const ofPage = cost.unit + url.length + cost.character * weigh([title, ...keywords].join(' '))
  let bytesLeft = room.base + room.perByte * bytes
  let unitsLeft = maxUnits
  const kept: Section[] = []
  for (const section of sections) {
    const names = [section.heading, section.anchor ?? '', ...section.path].join(' ')
    const perUnit = ofPage + cost.character * weigh(names)
    bytesLeft -= perUnit
    if (bytesLeft < 0 || unitsLeft < 1) return { sections: kept, isCut: true }
    const fitting = fitBlocks(section.blocks, perUnit, { bytesLeft, unitsLeft })
    kept.push(fitting.isCut ? { ...section, blocks: fitting.blocks } : section)
    if (fitting.isCut) return { sections: kept, isCut: true }
    bytesLeft -= fitting.bytes
    unitsLeft -= fitting.units
  }
  return { sections, isCut: false }
}

function fitBlocks(blocks: Block[], perUnit: number, left: { bytesLeft: number; unitsLeft: number }) {
  const kept: Block[] = []
  let bytes = 0
  let length = 0
  for (const block of blocks) {
    const more = block.text.length + 2
    const asUnits = perUnit / minPassageLength
    const total = bytes + cost.block + cost.character * weigh(block.text) + asUnits * more
    if (total > left.bytesLeft || maxPassages(length + more) > left.unitsLeft) {
      const byBytes = (left.bytesLeft - bytes - cost.block) / (2 * cost.character + asUnits)
      const byUnits = (left.unitsLeft - 1) * minPassageLength - length
      const text = cutText(block.text, Math.max(0, Math.floor(Math.min(byBytes, byUnits))))
      return { blocks: text === '' ? kept : [...kept, { ...block, text }], isCut: true as const }
    }
    kept.push(block)
    bytes = total
    length += more
  }
  return { isCut: false as const, bytes, units: maxPassages(length) }
}

/** Its length, characters from the East twice: each begins a term of its own. */
function weigh(text: string): number {
  let weight = text.length
  for (let at = 0; at < text.length; at++) if (text.charCodeAt(at) >= 0x2e80) weight++
  return weight
}
