// From the extracted content of a page to the units that are indexed.
import type { Section, SectionName } from '../../crawler/extract/page.ts'
import type { PageContent } from '../store/page.ts'
import type { SourceType } from '../store/source.ts'
import { analyzeJoined } from './analyze.ts'
import { detectLanguage } from './detected-language.ts'
import { createListingReader } from './listing.ts'
import { toPassages } from './passages.ts'
import type { Unit } from './search-index.ts'
import { readVariant, toDocVersion } from './variant.ts'

interface IndexedPage {
  uuid: string
  version: number
  url: string
  sourceType: SourceType
  docVersion: string | null
  language: string | null
}

/**
 * Each section with text is a unit, a long one several with the same anchor. Page title, keywords and heading path stand in
 * every unit of the page, so that each is found by what it belongs to. A page without text has one unit: its title.
 */
export function toUnits(page: IndexedPage, content: PageContent): Unit[] {
  const variant = readVariant(page.url)
  const language = page.language ?? variant.language ?? detectLanguage(content.sections)
  const titleTerms = analyzeJoined(`${content.title}\n${content.keywords.join('\n')}`)
  const readListing = createListingReader(content)
  const units: Unit[] = []
  for (const section of indexedSections(content)) {
    const headingTerms = analyzeJoined([...listNames(section), ...section.path].join('\n'))
    for (const [part, { text, code, blocks }] of toPassages(section.blocks).entries()) {
      const listing = readListing(section, blocks)
      units.push({
        id: `${page.uuid}:${page.version}:${units.length}`,
        page: page.uuid,
        version: page.version,
        ordinal: units.length,
        url: page.url,
        anchor: section.anchor,
        kind: section.kind,
        pageTitle: content.title,
        heading: section.heading,
        ...(section.also && { also: section.also }),
        path: section.path,
        text,
        ...(code.length > 0 && { code }),
        ...(part > 0 && { continues: true }),
        ...(section.place && { place: section.place }),
        ...(listing > 0 && { listing }),
        titleTerms,
        headingTerms,
        bodyTerms: analyzeJoined(text),
        sourceType: page.sourceType,
        docVersion: page.docVersion === null ? variant.docVersion : toDocVersion(page.docVersion),
        language,
        boost: content.boost,
        keywords: content.keywords,
      })
    }
  }
  return units
}

/** The sections that have units, in the order of these. */
export function indexedSections(content: Pick<PageContent, 'sections'>): Section[] {
  const sections = content.sections.filter(hasUnit)
  return sections.length > 0 ? sections : [content.sections[0] ?? titleOnly]
}

/** Its names with their anchors, the first one first. */
export function listHeads({
  heading,
  anchor,
  also = [],
}: SectionName & Pick<Section, 'also'>): SectionName[] {
  return [{ heading, anchor }, ...also]
}

/**
 * What a section is called: its headings, and for a definition also the anchor that ends in its name, which is the name
 * in full. `items()` at `#dict.items` is called `dict.items` too.
 */
export function listNames(section: SectionName & Pick<Section, 'kind' | 'also'>): string[] {
  return listHeads(section).flatMap((head) => namesOfHead(section.kind, head))
}

export function namesOfHead(kind: Section['kind'], { heading, anchor }: SectionName): string[] {
  if (kind !== 'definition' || anchor === null) return [heading]
  const short = anchor.slice(anchor.lastIndexOf('.') + 1)
  return short !== anchor && short !== '' && heading.includes(short) && !heading.includes(anchor)
    ? [heading, anchor]
    : [heading]
}

/** A heading without text gives its name to the sections below it; one that names something in code is found by it. */
function hasUnit({ kind, heading, blocks }: Section): boolean {
  return kind === 'definition' || blocks.some(({ text }) => text !== '') || codeName.test(heading)
}

/** `server.close()`, `--dry-run`, `MAX_SIZE`: one word, apart from parameters, that does not occur in prose. */
const codeName = /^(?=\S*(?:\w[._:$\\]\w|\()|--?\w)[^\s(]+(?:\(.*\))?$/u

const titleOnly: Section = { kind: 'heading', anchor: null, heading: '', path: [], blocks: [] }
