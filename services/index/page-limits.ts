// How much of one page is kept. A section costs more than its text: names of the page and of the headings above stand in each
// of its units. Without a limit small pages with thousands of headings would fill a disk.
import type { Block, Section } from '../../crawler/extract/page.ts'
import { cutText } from '../../crawler/extract/page.ts'
import type { PageContent } from '../store/page.ts'
import { maxPassages, minPassageLength } from './passages.ts'
import { listHeads } from './units.ts'

/** Units of one page. */
const maxUnits = 5_000
/** Bytes on disk that a page may take: `base`, and `perByte` for each byte of its own. */
const room = { base: 800_000, perByte: 19 }
/**
 * Bytes on disk that the parts of a page come to at worst: their place in store and index; of each character its text and the
 * places of its terms; and of a word that the page did not have before also its terms, new to the index.
 */
const cost = { unit: 500, block: 60, character: 8, newCharacter: 17 }

type Texts = Pick<PageContent, 'title' | 'keywords' | 'sections'>
/** `bytes`: length of the page as it was fetched. */
type Origin = { url: string; bytes: number }
type Fitting = { sections: Section[]; isCut: boolean }
/** What a text of a page costs: `each` time it is stored, and `once` for the words that are new. */
type CostReader = (text: string) => { each: number; once: number }

/** The sections, from the first on, that have room: the last may be cut. Words are read only where their number decides. */
export function limitSections(texts: Texts, origin: Origin): Fitting {
  const atWorst = fitSections(texts, origin, measureMaxCost)
  return atWorst.isCut ? fitSections(texts, origin, createCostReader()) : atWorst
}

function fitSections(
  { title, keywords, sections }: Texts,
  { url, bytes }: Origin,
  costOf: CostReader,
): Fitting {
  const titles = costOf([title, ...keywords].join(' '))
  let bytesLeft = room.base + room.perByte * bytes - titles.once
  let unitsLeft = maxUnits
  const kept: Section[] = []
  for (const section of sections) {
    const heads = listHeads(section).flatMap(({ heading, anchor }) => [heading, anchor ?? ''])
    const names = costOf([...heads, ...section.path].join(' '))
    const perUnit = cost.unit + url.length + titles.each + names.each
    bytesLeft -= perUnit + names.once
    if (bytesLeft < 0 || unitsLeft < 1) return { sections: kept, isCut: true }
    const fitting = fitBlocks(section.blocks, { perUnit, costOf, bytesLeft, unitsLeft })
    kept.push(fitting.isCut ? { ...section, blocks: fitting.blocks } : section)
    if (fitting.isCut) return { sections: kept, isCut: true }
    bytesLeft -= fitting.bytes
    unitsLeft -= fitting.units
  }
  return { sections, isCut: false }
}

interface Left {
  perUnit: number
  costOf: CostReader
  bytesLeft: number
  unitsLeft: number
}

function fitBlocks(blocks: Block[], { perUnit, costOf, bytesLeft, unitsLeft }: Left) {
  const asUnits = perUnit / minPassageLength
  const kept: Block[] = []
  let bytes = 0
  let length = 0
  for (const block of blocks) {
    const more = block.text.length + 2
    const { each, once } = costOf(block.text)
    const total = bytes + cost.block + each + once + asUnits * more
    if (total > bytesLeft || maxPassages(length + more) > unitsLeft) {
      const byBytes = (bytesLeft - bytes - cost.block) / (2 * cost.newCharacter + asUnits)
      const byUnits = (unitsLeft - 1) * minPassageLength - length
      const text = cutText(block.text, Math.max(0, Math.floor(Math.min(byBytes, byUnits))))
      return { blocks: text === '' ? kept : [...kept, { ...block, text }], isCut: true as const }
    }
    kept.push(block)
    bytes = total
    length += more
  }
  return { isCut: false as const, bytes, units: maxPassages(length) }
}

/** As if every word were new and every character counted twice. */
const measureMaxCost: CostReader = ({ length }) => ({
  each: 2 * cost.character * length,
  once: 2 * (cost.newCharacter - cost.character) * length,
})

/** For texts of a page that are read one after the other. */
function createCostReader(): CostReader {
  const seen = new Set<string>()
  return (text) => {
    let weightOfNew = 0
    for (const [word] of text.matchAll(/\S+/g)) {
      if (seen.has(word)) continue
      seen.add(word)
      weightOfNew += weigh(word)
    }
    return { each: cost.character * weigh(text), once: (cost.newCharacter - cost.character) * weightOfNew }
  }
}

/** Its length, twice for characters from the East, each of which begins a term of its own, and for those JSON escapes. */
function weigh(text: string): number {
  let weight = text.length
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at)
    if (code >= 0x2e80 || code < 0x20) weight++
  }
  return weight
}
