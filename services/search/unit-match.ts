// Matches a unit against a query: per word and field, and by the proximity of the words.
import type { SectionName } from '../../crawler/extract/page.ts'
import { nameOfSignature } from '../../crawler/extract/visible.ts'
import { analyze, eachWord, fold, readTerms, toPairs } from '../index/analyze.ts'
import type { Unit } from '../index/search-index.ts'
import { createTermTable, hashTerm, memoizeUnit, type TermTable, termsOfUnit } from '../index/unit-terms.ts'
import { listHeads, namesOfHead } from '../index/units.ts'
import { type Group, type ParsedQuery, toQualifiedName } from './understand.ts'

export interface GroupMatch {
  /** Weight of the best alternative in the field, 0 to 1. */
  title: number
  heading: number
  path: number
  /** Sum of the weights of all matches in the body. */
  body: number
}

export interface UnitMatch {
  groups: GroupMatch[]
  /** Share of the words of the heading, and of the page's title, that the query contains. */
  headingCovered: number
  titleCovered: number
  isNamed: boolean
  /** From 0 to 1. 1: all matched words are adjacent in the body. */
  proximity: number
  bodyLength: number
}

/** Groups matched by a term, with weights, by the hash of the term. */
export type Lookup = TermTable<GroupWeight[]>

interface GroupWeight {
  group: number
  weight: number
}

export function toLookup(groups: Group[]): Lookup {
  const weights = new Map<string, GroupWeight[]>()
  for (const [group, { alternatives }] of groups.entries()) {
    for (const [term, weight] of alternatives) {
      const entries = weights.get(term)
      if (entries) entries.push({ group, weight })
      else weights.set(term, [{ group, weight }])
    }
  }
  return createTermTable(weights)
}

/** Wider gaps between two words are ignored. */
const maxGap = 40
/** Number of adjacent pairs for the maximum. */
const enoughPairs = 3
/** Maximum matches examined for proximity. Prose has fewer. */
const maxFound = 300

export function matchUnit(unit: Unit, { groups, names }: ParsedQuery, lookup: Lookup): UnitMatch {
  const { found, ...counted } = countMatches(unit, groups, lookup)
  const inBody = counted.groups.filter(({ body }, at) => body > 0 && !groups[at]!.isStop)
  const { section, page } = namesOfUnit(unit)
  return {
    ...counted,
    headingCovered: Math.max(...section.map(({ words }) => coverage(words, lookup))),
    titleCovered: coverage(page, lookup),
    isNamed: names.some((name) => qualifiedNames(unit).has(name)),
    proximity: inBody.length < 2 ? 0 : measureProximity(found, groups),
  }
}

interface Found {
  /** Index of the term in the body. */
  at: number
  weights: GroupWeight[]
}

/** The name of the unit that the query covers most; the first of equals. */
export function headFor(unit: Unit, lookup: Lookup): SectionName {
  const covered = ({ words }: { words: NameWord[] }) => coverage(words, lookup)
  return namesOfUnit(unit).section.reduce((best, each) => (covered(each) > covered(best) ? each : best)).head
}

export function countMatches(
  unit: Unit,
  groups: Group[],
  lookup: Lookup,
): Pick<UnitMatch, 'groups' | 'bodyLength'> & { found: Found[] } {
  const matches: GroupMatch[] = groups.map(() => ({ title: 0, heading: 0, path: 0, body: 0 }))
  const terms = termsOfUnit(unit)
  for (const field of ['title', 'heading', 'path'] as const) {
    lookup.visit(terms[field], (weights) => {
      for (const { group, weight } of weights) {
        const match = matches[group]!
        match[field] = Math.max(match[field], weight)
      }
    })
  }
  const found: Found[] = []
  lookup.visit(terms.body, (weights, at) => {
    found.push({ at, weights })
    for (const { group, weight } of weights) matches[group]!.body += weight
  })
  return { groups: matches, bodyLength: terms.body.length, found }
}

function measureProximity(found: Found[], groups: Group[]): number {
  const last: number[] = groups.map(() => -1)
  let nearest = Number.POSITIVE_INFINITY
  let pairs = 0
  for (const { at, weights } of found.slice(0, maxFound)) {
    for (const { group } of weights) {
      if (groups[group]!.isStop) continue
      for (const [other, place] of last.entries()) {
        if (other === group || place < 0 || groups[other]!.isStop) continue
        const gap = Math.max(1, at - place)
        nearest = Math.min(nearest, gap)
        if (gap <= maxGap) pairs += 1 / gap
        if (nearest === 1 && pairs >= enoughPairs) return 1
      }
      last[group] = at
    }
  }
  return pairs === 0 ? 0 : Math.min(1, 0.5 / nearest + 0.5 * Math.min(1, pairs / enoughPairs))
}

/** Weighted share of the words of a name that the query contains. */
function coverage(name: NameWord[], lookup: Lookup): number {
  let sum = 0
  for (const { whole, parts } of name) {
    // A dotted name may also match by its parts.
    const inParts =
      parts.length === 0 ? 0 : parts.reduce((best, term) => best + weigh(term, lookup), 0) / parts.length
    sum += Math.max(weigh(whole, lookup), 0.9 * inParts)
  }
  return sum / (name.length || 1)
}

function weigh(term: number | null, lookup: Lookup): number {
  if (term === null) return 0
  return (lookup.get(term) ?? []).reduce((best, { weight }: GroupWeight) => Math.max(best, weight), 0)
}

/** Hashes of terms: see hashTerm. */
export interface NameWord {
  /** Null for a word without terms. */
  whole: number | null
  /** Parts and stems of the word. */
  parts: number[]
}

/** The names of the section with their anchors, and the page's title. */
export const namesOfUnit = memoizeUnit((unit) => ({
  section: listHeads(unit).flatMap((head) =>
    namesOfHead(unit.kind, head).map((name) => ({ head, words: readName(toName(unit, name)) })),
  ),
  page: readName(toPageName(unit)),
}))

/** `list.of` of a section `of(E e1)` on the page `Interface List<E>`, or below such a heading. */
const qualifiedNames = memoizeUnit((unit) => {
  const titles = [unit.pageTitle, ...unit.path].map((title) => withoutSubtitle(title).replace(/<.*/u, ''))
  const words = titles.join(' ').split(/\s+/u).map(toQualifiedName)
  const owners = words.flatMap((word) => word.split('.').map((_, at, parts) => parts.slice(at).join('.')))
  const names = listHeads(unit).map((head) => nameOfSignature(namesOfHead(unit.kind, head).at(-1)!))
  const members = names.map((name) => fold(name.split(/\s[.#]?|^[.#]/u).at(-1)!))
  return new Set(owners.flatMap((owner) => members.map((member) => `${owner}.${member}`)))
})

function readName(name: string): NameWord[] {
  const words = name.split(/\s+/u).filter((word) => /[\p{L}\p{N}]/u.test(word))
  return words.map((word) => {
    const [whole, ...parts] = analyze(word).map(hashTerm)
    return { whole: whole ?? null, parts }
  })
}

/** Removes the parameters and types of a definition or a heading that is a signature, and the subtitle of other headings. */
function toName(unit: Unit, heading: string): string {
  if (unit.kind === 'definition' || signature.test(heading)) return nameOfSignature(heading)
  return heading === unit.pageTitle ? toPageName(unit) : withoutSubtitle(heading)
}

/** `Gate` of `Class Gate<T>` at `/tide.Gate.html` or `/classGate.html`: the word that the address ends with. Else the title. */
function toPageName({ pageTitle, url }: Unit): string {
  const file = url.slice(url.lastIndexOf('/') + 1).replace(/\.\w+$/u, '')
  // Doxygen escapes colons and underscores, and QDoc writes QHash in small letters.
  const name = file.replaceAll('_1', ':').replaceAll('__', '_')
  const isOfFile = (word: string) =>
    beforeName.test(name.slice(0, -word.length)) &&
    (name.endsWith(word) || (/\p{Lu}.*\p{Lu}/u.test(word) && name.endsWith(word.toLowerCase())))
  return (pageTitle.replace(/<.*/u, '').match(/\S+/gu) ?? []).find(isOfFile) ?? withoutSubtitle(pageTitle)
}

const beforeName = /^(?:.*\.|class|struct|union|interface|namespace|protocol|exception|enum)?$/u

/** `fs.readFile(path[, options], callback)`, `maxWorkers [number | string]` */
const signature = /^[\w$.:#]+(?:\(.*\)| \[.*\])$/u

/** `asyncio — Asynchronous I/O` → `asyncio`, `3.1. Setup` → `Setup`. `3.1 Setup` may start with a version. */
function withoutSubtitle(heading: string): string {
  return heading.replace(/^(?:\d+\.)+\s+(?=\p{L})/u, '').split(/\s[—–]\s/u)[0]!
}

/** Hashes of the text's terms, in order, with the position of each term's word in UTF-16 units. */
export const wordsOfUnit = memoizeUnit(({ text }) => {
  const terms: number[] = []
  const starts: number[] = []
  const ends: number[] = []
  eachWord(text, (start, end, isCjk) => {
    const word = text.slice(start, end)
    for (const term of isCjk ? toPairs(word) : readTerms(word)) {
      terms.push(hashTerm(term))
      starts.push(start)
      ends.push(end)
    }
  })
  return { terms: new Int32Array(terms), starts: new Uint32Array(starts), ends: new Uint32Array(ends) }
})
