// From ranked units to the results that a reader sees.
import { createHash } from 'node:crypto'
import { stem } from '../index/analyze.ts'
import type { SearchIndex, Unit } from '../index/search-index.ts'
import { hashTerm, termsOfUnit } from '../index/unit-terms.ts'
import type { SourceType } from '../store/source.ts'
import { toFragment } from './fragment.ts'
import { type Passage, toPassageText } from './passage.ts'
import { createMean, type Ranked } from './rank.ts'
import { contentGroups, type Group } from './understand.ts'
import { headFor, type Lookup } from './unit-match.ts'

export interface SearchResult {
  /** The section's heading, of several names the one asked for; the page's title above the first heading. */
  title: string
  pageTitle: string
  /** Ends in the section's anchor, where it has one. */
  url: string
  /** Plain text of at most 300 characters. */
  fragment: string
  score: number
  domain: string
  isTitleMatch: boolean
  sourceType: SourceType
  /** UUID of the page. */
  documentId: string
  content: string
  /** Of a file: the page from 1, or the sheet. */
  page?: number
  sheet?: string
}

export function present({ hit: { unit }, score, isTitleMatch }: Ranked, lookup: Lookup): SearchResult {
  const { heading, anchor } = headFor(unit, lookup)
  return {
    title: heading || unit.pageTitle,
    pageTitle: unit.pageTitle,
    url: anchor === null ? unit.url : `${unit.url}#${anchor}`,
    fragment: toFragment(unit, lookup),
    score,
    domain: new URL(unit.url).host,
    isTitleMatch,
    sourceType: unit.sourceType,
    documentId: unit.page,
    content: unit.text,
    ...unit.place,
  }
}

export function presentPassage(
  { hit: { unit }, score, similarity }: Ranked & { similarity: number | null },
  typed: Group[],
): Passage {
  const { title, heading, path, body } = termsOfUnit(unit)
  const terms = new Set([...title, ...heading, ...path, ...body])
  const content = contentGroups(typed)
  const held = content.map((group) => heldWeight(group, terms))
  return {
    unit: unit.id,
    page: unit.page,
    url: unit.anchor === null ? unit.url : `${unit.url}#${unit.anchor}`,
    pageTitle: unit.pageTitle,
    title: unit.heading || unit.pageTitle,
    ...(unit.also && { also: unit.also.map(({ heading }) => heading) }),
    path: unit.path,
    text: toPassageText(unit),
    contentHash: createHash('sha256').update(unit.text).digest('hex'),
    score,
    coverage: createMean(content)(held),
    lacks: content.filter((_, at) => held[at] === 0).map(({ word }) => word),
    similarity,
  }
}

/** Another form of the word is the word; a correction of it is worth less. */
function heldWeight({ word, alternatives }: Group, terms: Set<number>): number {
  const meanings: [string, number][] = [[word, 1], [stem(word), 1], ...alternatives]
  return Math.max(...meanings.map(([term, weight]) => (terms.has(hashTerm(term)) ? weight : 0)))
}

/** Number of following units to look at: a heading may come directly below another. */
const lookAhead = 8

/**
 * Gives entries without a text the first one below them, or, where there is none, their own heading. Of entries of one page
 * that would show the same text, the first stays.
 */
export async function withText<Entry extends Ranked>(
  index: Pick<SearchIndex, 'units'>,
  project: string,
  entries: Entry[],
): Promise<Entry[]> {
  const wanted = entries.flatMap(({ hit: { unit } }) => (unit.text === '' ? idsAfter(unit) : []))
  if (wanted.length === 0) return entries
  const found = await index.units(project, [...new Set(wanted)])
  const known = new Map(found.map((unit) => [unit.id, unit]))
  const shown = new Set<string>()
  return entries.flatMap((entry) => {
    const { unit } = entry.hit
    const source = unit.text === '' ? firstBelow(unit, known) : unit
    if (shown.has(source?.id ?? unit.id)) return []
    shown.add(source?.id ?? unit.id)
    return source === unit ? [entry] : [{ ...entry, hit: { ...entry.hit, unit: speakFor(unit, source) } }]
  })
}

function idsAfter({ page, version, ordinal }: Unit): string[] {
  return Array.from({ length: lookAhead }, (_, at) => `${page}:${version}:${ordinal + 1 + at}`)
}

/** The first text below the heading, or null. */
function firstBelow(unit: Unit, known: Map<string, Unit>): Unit | null {
  for (const id of idsAfter(unit)) {
    const next = known.get(id)
    if (!next || !isBelow(next, unit)) return null
    if (next.text !== '') return next
  }
  return null
}

/** The page's title is not named in the paths below it. */
function isBelow(next: Unit, { ordinal, heading, pageTitle }: Unit): boolean {
  return ordinal === 0 || heading === pageTitle || next.path.includes(heading)
}

function speakFor(unit: Unit, source: Unit | null): Unit {
  if (source === null) return { ...unit, text: unit.heading || unit.pageTitle }
  const { text, code, bodyTerms } = source
  return { ...unit, text, bodyTerms, ...(code && { code }) }
}
