// How one unit matches the query: per word and field, and how close together.
import type { SectionName } from '../../crawler/extract/page.ts'
import type { Hit, Unit } from '../index/search-index.ts'
import { createTermTable, type TermTable } from '../index/term-hash.ts'
import { termsOfUnit } from '../index/unit-terms.ts'
import type { Group, Understood } from './understand.ts'
import { type NameWord, namesOfUnit } from './unit-names.ts'

export interface GroupMatch {
  /** Worth of the best alternative found there, 0 to 1. */
  title: number
  heading: number
  path: number
  /** Sum over the places in the body. */
  body: number
}

export interface UnitMatch {
  groups: GroupMatch[]
  /** Share of the heading's own words that the query names, and of the page title's. */
  headingCovered: number
  titleCovered: number
  /** 0 to 1: 1 where all words that matched stand side by side in the body. */
  closeness: number
  bodyLength: number
}

/** Of a term, by its hash: the groups that it stands for, with what it is worth there. */
export type Lookup = TermTable<Meaning[]>

interface Meaning {
  group: number
  worth: number
}

export function toLookup(groups: Group[]): Lookup {
  const meanings = new Map<string, Meaning[]>()
  for (const [group, { alternatives }] of groups.entries()) {
    for (const [term, worth] of alternatives) {
      const known = meanings.get(term)
      if (known) known.push({ group, worth })
      else meanings.set(term, [{ group, worth }])
    }
  }
  return createTermTable(meanings)
}

/** Wider gaps than this between two words of a query say nothing. */
const widestGap = 40
/** More say no more. */
const enoughPairs = 3

export function matchUnit({ unit }: Hit, { groups }: Understood, lookup: Lookup): UnitMatch {
  const { found, ...counted } = countMatches(unit, groups, lookup)
  const inBody = counted.groups.filter(({ body }, at) => body > 0 && !groups[at]!.isStop)
  const { section, page } = namesOfUnit(unit)
  return {
    ...counted,
    headingCovered: Math.max(...section.map(({ words }) => covered(words, lookup))),
    titleCovered: covered(page, lookup),
    closeness: inBody.length < 2 ? 0 : closenessOf(found, groups),
  }
}

/** A word of the query in the body of a unit. */
interface Found {
  /** Which of the body's terms it is, from 0. */
  at: number
  meanings: Meaning[]
}

/** Of a unit's names the one that the query covers most, the first of several. */
export function headFor(unit: Unit, lookup: Lookup): SectionName {
  const named = namesOfUnit(unit).section.map(({ head, words }) => ({ head, share: covered(words, lookup) }))
  return named.reduce((best, each) => (each.share > best.share ? each : best)).head
}

export function countMatches(
  unit: Hit['unit'],
  groups: Group[],
  lookup: Lookup,
): Pick<UnitMatch, 'groups' | 'bodyLength'> & { found: Found[] } {
  const matches: GroupMatch[] = groups.map(() => ({ title: 0, heading: 0, path: 0, body: 0 }))
  const terms = termsOfUnit(unit)
  for (const field of ['title', 'heading', 'path'] as const) {
    lookup.visit(terms[field], (meanings) => {
      for (const { group, worth } of meanings) {
        const match = matches[group]!
        match[field] = Math.max(match[field], worth)
      }
    })
  }
  const found: Found[] = []
  lookup.visit(terms.body, (meanings, at) => {
    found.push({ at, meanings })
    for (const { group, worth } of meanings) matches[group]!.body += worth
  })
  return { groups: matches, bodyLength: terms.body.length, found }
}

function closenessOf(found: Found[], groups: Group[]): number {
  const last: number[] = groups.map(() => -1)
  let nearest = Number.POSITIVE_INFINITY
  let pairs = 0
  for (const { at, meanings } of found) {
    for (const { group } of meanings) {
      if (groups[group]!.isStop) continue
      for (const [other, place] of last.entries()) {
        if (other === group || place < 0 || groups[other]!.isStop) continue
        const gap = at - place
        nearest = Math.min(nearest, gap)
        if (gap <= widestGap) pairs += 1 / gap
        if (nearest === 1 && pairs >= enoughPairs) return 1
      }
      last[group] = at
    }
  }
  return pairs === 0 ? 0 : Math.min(1, 0.5 / nearest + 0.5 * Math.min(1, pairs / enoughPairs))
}

/** Weighted share of the words of a name that the query stands for. */
function covered(name: NameWord[], lookup: Lookup): number {
  if (name.length === 0) return 0
  let sum = 0
  for (const { whole, parts } of name) {
    // A dotted name is covered in parts too: the last part says most.
    const inParts =
      parts.length === 0 ? 0 : parts.reduce((best, term) => best + worthOf(term, lookup), 0) / parts.length
    sum += Math.max(worthOf(whole, lookup), 0.9 * inParts)
  }
  return sum / name.length
}

function worthOf(term: number | null, lookup: Lookup): number {
  if (term === null) return 0
  return (lookup.get(term) ?? []).reduce((best, { worth }: Meaning) => Math.max(best, worth), 0)
}
