// From ranked units to the results that a reader sees.
import { createHash } from 'node:crypto'
import { stem } from '../index/analyze.ts'
import type { SearchIndex, Unit } from '../index/search-index.ts'
import { hashTerm, termsOfUnit } from '../index/unit-terms.ts'
import type { SourceType } from '../store/source.ts'
import { type Passage, toPassageText } from './passage.ts'
import { createMean, type Ranked } from './rank.ts'
import { contentGroups, type Group } from './understand.ts'
import { headFor, type Lookup, wordsOfUnit } from './unit-match.ts'

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
  documentId: string
  content: string
  /** Of a file: the page from 1, or the sheet. */
  page?: number
  sheet?: string
  /** Above the section, outermost first; the page's title is none of them. */
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

/** The first text below the heading, or null. The page's title is not named in the paths below it. */
function firstBelow(unit: Unit, known: Map<string, Unit>): Unit | null {
  const isTitle = unit.ordinal === 0 || unit.heading === unit.pageTitle
  for (const id of idsAfter(unit)) {
    const next = known.get(id)
    if (!next || !(isTitle || next.path.includes(unit.heading))) return null
    if (next.text !== '') return next
  }
  return null
}

function speakFor(unit: Unit, source: Unit | null): Unit {
  if (source === null) return { ...unit, text: unit.heading || unit.pageTitle }
  const { text, code, bodyTerms } = source
  return { ...unit, text, bodyTerms, ...(code && { code }) }
}

const maxFragment = 300
/** Words of the query that are looked at in a text; in prose it has no more. */
const maxMatches = 1_000

interface Match {
  start: number
  end: number
  group: number
  weight: number
}

/**
 * Of the unit's text, at most 300 characters round the stretch with the most words of the query, white space made
 * single, cut at words, with `…` where text was left out. The beginning where nothing matches.
 */
export function toFragment(unit: Unit, lookup: Lookup): string {
  const { text } = unit
  if (text.length <= maxFragment) return text.replace(/\s+/gu, ' ').trim()
  const room = maxFragment - 2
  const best = findBest(findMatches(unit, lookup), room - 40)
  return cut(text, best === null ? 0 : findOpening(text, best), room)
}

/** What each further occurrence of a word counts. */
const repeatWeight = 1 / 8

/** Where the stretch of at most `length` characters begins that holds most of the query; null where none holds anything. */
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

/** The words of the text that match one of the query. */
function findMatches(unit: Unit, lookup: Lookup): Match[] {
  const { terms, starts, ends } = wordsOfUnit(unit)
  const matches: Match[] = []
  lookup.visit(terms, ([meaning], at) => {
    if (matches.length === maxMatches || matches.at(-1)?.start === starts[at]) return
    matches.push({ start: starts[at]!, end: ends[at]!, ...meaning! })
  })
  return matches
}

/** The beginning of the sentence or line that holds the place, if it is near. */
function findOpening(text: string, place: number): number {
  const from = Math.max(0, place - 80)
  const before = text.slice(from, place)
  const sentence = Math.max(before.lastIndexOf('. ') + 2, before.lastIndexOf('\n') + 1)
  if (sentence > 1) return from + sentence
  if (from === 0) return 0
  const space = before.indexOf(' ')
  return space < 0 ? place : from + space + 1
}

function cut(text: string, start: number, room: number): string {
  const end = start + 2 * room
  let shown = text.slice(start, end).replace(/\s+/gu, ' ').trim()
  const isCut = end < text.length || shown.length > room
  if (shown.length > room) {
    const space = shown.lastIndexOf(' ', room)
    shown = shown.slice(0, space > room / 2 ? space : room).toWellFormed()
  }
  return `${start > 0 ? '…' : ''}${shown.trimEnd()}${isCut ? '…' : ''}`
}
