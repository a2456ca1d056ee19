// Converts ranked units to search results and passages.
import { createHash } from 'node:crypto'
import type { SourceTypeName } from '../../sources/source-type.ts'
import { stem } from '../index/analyze.ts'
import type { SearchIndex, Unit } from '../index/search-index.ts'
import { hashTerm, termsOfUnit } from '../index/unit-terms.ts'
import { type Passage, toPassageText } from './passage.ts'
import { createMean, type Ranked } from './rank.ts'
import { contentGroups, type Group } from './understand.ts'
import { headFor, type Lookup, wordsOfUnit } from './unit-match.ts'

export interface SearchResult {
  /** The section's heading, of several names the best match, or the page's title before the first heading. */
  title: string
  pageTitle: string
  /** Includes the section's anchor, if any. */
  url: string
  /** Plain text of at most 300 characters. */
  fragment: string
  score: number
  domain: string
  isTitleMatch: boolean
  sourceType: SourceTypeName
  documentId: string
  content: string
  /** Location in a file: the page from 1, or the sheet. */
  page?: number
  sheet?: string
  /** Headings above the section, outermost first, without the page's title. */
  headings: string[]
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
    headings: unit.path.filter((each) => each !== unit.pageTitle && each !== heading),
  }
}

export function presentPassage(
  { hit: { unit }, score, similarity }: Ranked & { similarity: number | null },
  typed: Group[],
): Passage {
  const { title, heading, path, body } = termsOfUnit(unit)
  const terms = new Set([...title, ...heading, ...path, ...body])
  const content = contentGroups(typed)
  const weights = content.map((group) => matchWeight(group, terms))
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
    coverage: createMean(content)(weights),
    lacks: content.filter((_, at) => weights[at] === 0).map(({ word }) => word),
    similarity,
  }
}

/** Weight of the best form of the word in the unit. Corrections weigh less than 1. */
function matchWeight({ word, alternatives }: Group, terms: Set<number>): number {
  const forms: [string, number][] = [[word, 1], [stem(word), 1], ...alternatives]
  return Math.max(...forms.map(([term, weight]) => (terms.has(hashTerm(term)) ? weight : 0)))
}

/** Maximum following units to examine: a heading may directly follow another. */
const lookAhead = 8

/**
 * Gives entries without text the first text below them, or their heading if there is none. Removes later entries with the same
 * text.
 */
export async function withText<Entry extends Ranked>(
  index: Pick<SearchIndex, 'units'>,
  project: string,
  entries: Entry[],
): Promise<Entry[]> {
  const ids = entries.flatMap(({ hit: { unit } }) => (unit.text === '' ? idsAfter(unit) : []))
  if (ids.length === 0) return entries
  const found = await index.units(project, [...new Set(ids)])
  const known = new Map(found.map((unit) => [unit.id, unit]))
  const sources = new Set<string>()
  return entries.flatMap((entry) => {
    const { unit } = entry.hit
    const source = unit.text === '' ? firstBelow(unit, known) : unit
    if (sources.has(source?.id ?? unit.id)) return []
    sources.add(source?.id ?? unit.id)
    return source === unit ? [entry] : [{ ...entry, hit: { ...entry.hit, unit: withTextOf(unit, source) } }]
  })
}

function idsAfter({ page, version, ordinal }: Unit): string[] {
  return Array.from({ length: lookAhead }, (_, at) => `${page}:${version}:${ordinal + 1 + at}`)
}

/** The first unit with text below the heading, or null. Paths do not include the page's title. */
function firstBelow(unit: Unit, known: Map<string, Unit>): Unit | null {
  const isTitle = unit.ordinal === 0 || unit.heading === unit.pageTitle
  for (const id of idsAfter(unit)) {
    const next = known.get(id)
    if (!next || !(isTitle || next.path.includes(unit.heading))) return null
    if (next.text !== '') return next
  }
  return null
}

function withTextOf(unit: Unit, source: Unit | null): Unit {
  if (source === null) return { ...unit, text: unit.heading || unit.pageTitle }
  const { text, code, bodyTerms } = source
  return { ...unit, text, bodyTerms, ...(code && { code }) }
}

const maxFragment = 300
/** Maximum matches examined in a text. Prose has fewer. */
const maxMatches = 1_000

interface Match {
  start: number
  end: number
  group: number
  weight: number
}

/**
 * Returns at most 300 characters of the text around the part with the most words of the query, or its start if nothing matches.
 * Collapses white space, cuts between words, and marks omitted text with `…`.
 */
export function toFragment(unit: Unit, lookup: Lookup): string {
  const { text } = unit
  if (text.length <= maxFragment) return text.replace(/\s+/gu, ' ').trim()
  const room = maxFragment - 2
  const best = findBest(findMatches(unit, lookup), room - 40)
  return cut(text, best === null ? 0 : findOpening(text, best), room)
}

/** Weight of a repeated word. */
const repeatWeight = 1 / 8

/** Start of the part of at most `length` characters with the best matches; null if nothing matches. */
function findBest(matches: Match[], length: number): number | null {
  let best: number | null = null
  let max = 0
  for (const [first, { start }] of matches.entries()) {
    const groups = new Set<number>()
    let value = 0
    for (let at = first; at < matches.length && matches[at]!.end - start <= length; at++) {
      const { group, weight } = matches[at]!
      value += groups.has(group) ? repeatWeight * weight : weight
      groups.add(group)
    }
    if (value <= max) continue
    max = value
    best = start
  }
  return best
}

/** Words of the text that match the query. */
function findMatches(unit: Unit, lookup: Lookup): Match[] {
  const { terms, starts, ends } = wordsOfUnit(unit)
  const matches: Match[] = []
  lookup.visit(terms, ([first], at) => {
    if (matches.length === maxMatches || matches.at(-1)?.start === starts[at]) return
    matches.push({ start: starts[at]!, end: ends[at]!, ...first! })
  })
  return matches
}

/** Start of the sentence or line at the position, if near. */
function findOpening(text: string, place: number): number {
  const from = Math.max(0, place - 80)
  const before = text.slice(from, place)
  const sentence = Math.max(...['. ', '。', '\n'].map((end) => before.lastIndexOf(end) + end.length))
  if (sentence > 1) return from + sentence
  if (from === 0) return 0
  const space = before.indexOf(' ')
  return space < 0 ? place : from + space + 1
}

function cut(text: string, start: number, room: number): string {
  const end = start + 2 * room
  let fragment = text.slice(start, end).replace(/\s+/gu, ' ').trim()
  const isCut = end < text.length || fragment.length > room
  if (fragment.length > room) {
    const space = fragment.lastIndexOf(' ', room)
    fragment = fragment.slice(0, space > room / 2 ? space : room).toWellFormed()
  }
  return `${start > 0 ? '…' : ''}${fragment.trimEnd()}${isCut ? '…' : ''}`
}
