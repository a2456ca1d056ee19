// How one unit matches the query: per word and field, and how close together.
import { analyze } from '../index/analyze.ts'
import type { Hit } from '../index/search-index.ts'
import { namesOf } from '../index/units.ts'
import type { Group, Understood } from './understand.ts'
import { termsOfUnit } from './unit-terms.ts'

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

/** Term → the groups that it stands for, with what it is worth there. */
export type Lookup = Map<string, { group: number; worth: number }[]>

export function toLookup(groups: Group[]): Lookup {
  const lookup: Lookup = new Map()
  for (const [group, { alternatives }] of groups.entries()) {
    for (const [term, worth] of alternatives) {
      const entry = { group, worth }
      const known = lookup.get(term)
      if (known) known.push(entry)
      else lookup.set(term, [entry])
    }
  }
  return lookup
}

/** Wider gaps than this between two words of a query say nothing. */
const widestGap = 40

export function matchUnit({ unit }: Hit, { groups }: Understood, lookup: Lookup): UnitMatch {
  const counted = countMatches(unit, groups, lookup)
  const inBody = counted.groups.filter(({ body }, at) => body > 0 && !groups[at]!.isStop)
  return {
    ...counted,
    headingCovered: Math.max(
      ...namesOf(unit).map((name) => covered(nameOf({ ...unit, heading: name }), lookup)),
    ),
    titleCovered: covered(withoutSubtitle(unit.pageTitle), lookup),
    closeness: inBody.length < 2 ? 0 : closenessIn(termsOfUnit(unit).body, groups, lookup),
  }
}

export function countMatches(
  unit: Hit['unit'],
  groups: Group[],
  lookup: Lookup,
): Pick<UnitMatch, 'groups' | 'bodyLength'> {
  const matches: GroupMatch[] = groups.map(() => ({ title: 0, heading: 0, path: 0, body: 0 }))
  const terms = termsOfUnit(unit)
  for (const field of ['title', 'heading', 'path'] as const) {
    for (const term of terms[field]) {
      for (const { group, worth } of lookup.get(term) ?? nowhere) {
        const match = matches[group]!
        match[field] = Math.max(match[field], worth)
      }
    }
  }
  for (const term of terms.body) {
    for (const { group, worth } of lookup.get(term) ?? nowhere) matches[group]!.body += worth
  }
  return { groups: matches, bodyLength: terms.body.length }
}

const nowhere: never[] = []

function closenessIn(body: string[], groups: Group[], lookup: Lookup): number {
  const last: number[] = groups.map(() => -1)
  let nearest = Number.POSITIVE_INFINITY
  let pairs = 0
  for (let at = 0; at < body.length; at++) {
    for (const { group } of lookup.get(body[at]!) ?? nowhere) {
      if (groups[group]!.isStop) continue
      for (const [other, place] of last.entries()) {
        if (other === group || place < 0 || groups[other]!.isStop) continue
        const gap = at - place
        nearest = Math.min(nearest, gap)
        if (gap <= widestGap) pairs += 1 / gap
      }
      last[group] = at
    }
  }
  return pairs === 0 ? 0 : Math.min(1, 0.5 / nearest + 0.5 * Math.min(1, pairs / 3))
}

/** A definition's name without its parameters; any other heading as it is. */
export function nameOf(unit: Pick<Hit['unit'], 'kind' | 'heading'>): string {
  if (unit.kind === 'heading') return withoutSubtitle(unit.heading)
  return unit.heading
    .replace(
      /^(?:async|class|classmethod|static|staticmethod|abstractmethod|property|final|exception|coroutine|function|type|method)\s+/gu,
      '',
    )
    .split(/[([=:]|\s(?=\()/u)[0]!
    .trim()
}

/** `asyncio — Asynchronous I/O` → `asyncio`. */
function withoutSubtitle(heading: string): string {
  return heading.split(/\s[—–]\s/u)[0]!
}

/** Weighted share of the words of a name that the query stands for. */
function covered(name: string, lookup: Lookup): number {
  const words = name.split(/\s+/u).filter((word) => /[\p{L}\p{N}]/u.test(word))
  if (words.length === 0) return 0
  let sum = 0
  for (const word of words) {
    const terms = analyze(word)
    const whole = worthOf(terms[0], lookup)
    // A dotted name is covered in parts too: the last part says most.
    const parts = terms.slice(1)
    const inParts =
      parts.length === 0 ? 0 : parts.reduce((best, term) => best + worthOf(term, lookup), 0) / parts.length
    sum += Math.max(whole, 0.9 * inParts)
  }
  return sum / words.length
}

function worthOf(term: string | undefined, lookup: Lookup): number {
  if (term === undefined) return 0
  return (lookup.get(term) ?? []).reduce((best, { worth }) => Math.max(best, worth), 0)
}
