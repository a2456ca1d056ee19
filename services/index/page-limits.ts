// Limits the sections stored of one page. A section costs more than its text, because each unit repeats the page's title and the
// headings above. Without a limit, small pages with thousands of headings could fill a disk.
import type { Block, Section } from '../../crawler/extract/page.ts'
import { cutText } from '../../crawler/extract/page.ts'
import type { PageContent } from '../store/page.ts'
import { maxUnitTexts, minUnitLength } from './unit-texts.ts'
import { listHeads } from './units.ts'

/** Maximum units of a page. */
const maxUnits = 5_000
/** Maximum bytes on disk for a page: `base`, plus `perByte` for each byte of the page. */
const room = { base: 800_000, perByte: 19 }
/**
 * Maximum bytes on disk of the parts of a page: the rows of a unit or a block; a character, with its text and postings; and a
 * character of a word that is new on the page, with its terms too.
 */
const cost = { unit: 500, block: 60, character: 8, newCharacter: 17 }

type Texts = Pick<PageContent, 'title' | 'keywords' | 'sections'>
/** `bytes`: length of the fetched page. */
type Origin = { url: string; bytes: number }
type Fitting = { sections: Section[]; isCut: boolean }
/** Returns the cost of a text: `each` time it is stored, and `once` for new words. */
type CostReader = (text: string) => { each: number; once: number }

/** Returns the first sections that fit; the last may be cut. Counts words only if the upper bound of the cost does not fit. */
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
  const asUnits = perUnit / minUnitLength
  const kept: Block[] = []
  let bytes = 0
  let length = 0
  for (const block of blocks) {
    const more = block.text.length + 2
    const { each, once } = costOf(block.text)
    const total = bytes + cost.block + each + once + asUnits * more
    if (total > bytesLeft || maxUnitTexts(length + more) > unitsLeft) {
      const byBytes = (bytesLeft - bytes - cost.block) / (2 * cost.newCharacter + asUnits)
      const byUnits = (unitsLeft - 1) * minUnitLength - length
      const text = cutText(block.text, Math.max(0, Math.floor(Math.min(byBytes, byUnits))))
      return { blocks: text === '' ? kept : [...kept, { ...block, text }], isCut: true as const }
    }
    kept.push(block)
    bytes = total
    length += more
  }
  return { isCut: false as const, bytes, units: maxUnitTexts(length) }
}

/** Upper bound: every word is new and every character counts twice. */
const measureMaxCost: CostReader = ({ length }) => ({
  each: 2 * cost.character * length,
  once: 2 * (cost.newCharacter - cost.character) * length,
})

/** For the texts of one page, in order. */
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

/** Length, with CJK characters, which each begin a term, and characters that JSON escapes counted twice. */
function weigh(text: string): number {
  let weight = text.length
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at)
    if (code >= 0x2e80 || code < 0x20) weight++
  }
  return weight
}
