// Converts the content of a page to units, and a unit to the texts that are embedded.
import { createHash } from 'node:crypto'
import { collapse } from '../../crawler/extract/outline.ts'
import { cutText, type Section, type SectionName } from '../../crawler/extract/page.ts'
import type { SourceTypeName } from '../../sources/source-type.ts'
import type { PageContent } from '../store/page.ts'
import { analyzeJoined } from './analyze.ts'
import { detectLanguage } from './detected-language.ts'
import { createListingReader } from './listing.ts'
import type { Unit } from './search-index.ts'
import { toUnitTexts } from './unit-texts.ts'

export interface PageIdentity {
  uuid: string
  version: number
  url: string
  sourceType: SourceTypeName
}

/**
 * Each section with text is a unit, a long one several with the same anchor. Every unit contains the page's title and keywords
 * and the headings above, so that search finds it by them too. A page without text has one unit: its title.
 */
export function toUnits(page: PageIdentity, content: PageContent): Unit[] {
  const variant = readVariant(page.url)
  const language = content.language ?? variant.language ?? detectLanguage(content.sections)
  const titleTerms = analyzeJoined(`${content.title}\n${content.keywords.join('\n')}`)
  const readListing = createListingReader(content)
  const units: Unit[] = []
  for (const section of indexedSections(content)) {
    const headingTerms = analyzeJoined([...listNames(section), ...section.path].join('\n'))
    for (const [part, { text, code, blocks }] of toUnitTexts(section.blocks).entries()) {
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
        docVersion: content.docVersion === null ? variant.docVersion : toDocVersion(content.docVersion),
        language,
        boost: content.boost,
      })
    }
  }
  return units
}

/** The sections that have units, in the same order. */
export function indexedSections(content: Pick<PageContent, 'title' | 'sections'>): Section[] {
  const sections = content.sections.filter((section) => hasUnit(section, content.title))
  return sections.length > 0 ? sections : [content.sections[0] ?? titleOnly]
}

/** The names of a section with their anchors, the first in `heading` first. */
export function listHeads({
  heading,
  anchor,
  also = [],
}: SectionName & Pick<Section, 'also'>): SectionName[] {
  return [{ heading, anchor }, ...also]
}

/**
 * The names of a section: its headings, and for a definition also an anchor that ends in its name, which is the qualified
 * name. `items()` at `#dict.items` is also named `dict.items`.
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

/** A heading without text is part of the sections below. It has a unit only if it is a name from code or declares one. */
function hasUnit({ kind, heading, blocks }: Section, title: string): boolean {
  const isType = typeName.test(heading) && (heading === title || heading.includes('<'))
  return kind === 'definition' || isType || codeName.test(heading) || blocks.some(({ text }) => text !== '')
}

/** `Class Gate`, `interface List<E>`. Prose has such words too: Class Methods, Exception Handling. */
const typeName = /^(?:class|interface|struct|enum|trait|record|protocol|exception|union) [^\s<]+(?:<.*)?$/iu

/** `server.close()`, `--dry-run`, `MAX_SIZE`: one word, apart from parameters, that prose does not contain. */
const codeName = /^(?=\S*(?:\w[._:$\\]\w|\()|--?\w)[^\s(]+(?:\(.*\))?$/u

const titleOnly: Section = { kind: 'heading', anchor: null, heading: '', path: [], blocks: [] }

const version =
  /^(?:v?\d{1,4}(?:\.\d{1,4}){0,3}(?:\.x)?|stable|latest|dev|devel|main|master|nightly|next|current)$/i
const language = /^[a-z]{2}(?:[-_](?:[a-z]{2}|hans|hant))?$/i
/** Languages that are recognized in a path. */
const languages = new Set(
  'ar bg bn ca cs da de el en es et fa fi fr he hi hr hu id it ja ko lt lv nl no pl pt ro ru sk sl sr sv th tr uk vi zh'.split(
    ' ',
  ),
)

interface Variant {
  docVersion: string | null
  /** BCP 47, lower case. */
  language: string | null
}

/** Normalizes a version: `V2.1` → `2.1`. */
export function toDocVersion(text: string): string {
  return text
    .trim()
    .toLowerCase()
    .replace(/^v(?=\d)/, '')
}

/** `/en/3.11/library/` → language `en`, version `3.11`. Ignores the last segment if it is a file. */
export function readVariant(url: string): Variant {
  const folders = new URL(url).pathname.split('/').slice(1, -1)
  const found = folders.find((folder) => version.test(folder))
  const spoken = folders.find(
    (folder) => language.test(folder) && languages.has(folder.slice(0, 2).toLowerCase()),
  )
  return {
    docVersion: found === undefined ? null : toDocVersion(found),
    language: spoken?.toLowerCase().replace('_', '-') ?? null,
  }
}

/** Maximum characters of title, path and heading together. */
const maxHead = 200
/** Maximum characters of the start. The first sentence of a definition describes it. */
const maxStart = { heading: 500, definition: 250 }
/** A text of more than `above` words also has windows of at most `words` words and `characters` characters. */
const windows = { above: 90, words: 160, characters: 2_000 }

/**
 * Returns `threading › Semaphore Objects › Semaphore Example` followed by the start of the text, and the same with each window of
 * a long text. Collapses white space. Never empty: a unit without names and text has its address.
 */
export function toEmbeddedTexts({
  kind,
  url,
  pageTitle,
  path,
  heading,
  text,
}: Pick<Unit, 'kind' | 'url' | 'pageTitle' | 'path' | 'heading' | 'text'>): string[] {
  const names = [...new Set([pageTitle, ...path, heading])].filter((name) => name !== '')
  const head = cutText(names.join(' › '), maxHead)
  const texts = [
    cutText(`${head}\n${collapse(text.slice(0, 4 * maxStart[kind]))}`, maxStart[kind]).trim() || url,
  ]
  const words = collapse(text).split(' ')
  if (words.length <= windows.above) return texts
  const size = Math.ceil(words.length / Math.ceil(words.length / windows.words))
  for (let at = 0; at < words.length; at += size)
    texts.push(cutText(`${head}\n${words.slice(at, at + size).join(' ')}`, windows.characters))
  return texts
}

/** The model under whose name a project has vectors of the first texts only, while it is embedded for the first time. */
export const toFirstModel = (model: string): string => `${model}, first texts`

/** The vector of a unit: the normalized mean of the vectors of its texts. */
export function toUnitVector(vectors: Float32Array[]): Float32Array {
  const sum = vectors[0]!.map((_, axis) => vectors.reduce((total, vector) => total + vector[axis]!, 0))
  const length = Math.hypot(...sum) || 1
  return sum.map((value) => value / length)
}

/** The cosine, for vectors of length 1. */
export function dotProduct(one: Float32Array, other: Float32Array): number {
  let sum = 0
  for (let axis = 0; axis < one.length; axis++) sum += one[axis]! * other[axis]!
  return sum
}

/** SHA-256 in hex: the key of a stored vector. */
export function hashText(text: string): string {
  return createHash('sha256').update(text).digest('hex')
}
