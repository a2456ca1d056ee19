// The stretch of a text that shows why it was found.
import type { Unit } from '../index/search-index.ts'
import { type Lookup, wordsOfUnit } from './unit-match.ts'

const maxLength = 300
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
  if (text.length <= maxLength) return text.replace(/\s+/gu, ' ').trim()
  const room = maxLength - 2
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
