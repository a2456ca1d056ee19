// The piece of a text that shows why it was found.
import type { Unit } from '../index/search-index.ts'
import { type Lookup, wordsOfUnit } from './unit-match.ts'

const longest = 300

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
  if (text.length <= longest) return text.replace(/\s+/gu, ' ').trim()
  const room = longest - 2
  const best = findBest(findMatches(unit, lookup), room - 40)
  return cut(text, best === null ? 0 : openingOf(text, best), room)
}

/** What a word is worth where it stands again. */
const again = 1 / 8
/** Sums of the same weights in another order differ by less. */
const rounding = 1e-9

/**
 * Where the stretch of at most `length` characters begins that says most of the query; null where none says anything. Each
 * match enters the stretch once and leaves it once, however many stand side by side.
 */
function findBest(matches: Match[], length: number): number | null {
  const next = nextOfGroup(matches)
  const counts = new Map<number, number>()
  let best: number | null = null
  let most = rounding
  let value = 0
  let end = 0
  for (const [first, { start, group, weight }] of matches.entries()) {
    for (; end < matches.length && matches[end]!.end - start <= length; end++) {
      const entered = matches[end]!
      const count = counts.get(entered.group) ?? 0
      value += count === 0 ? entered.weight : again * entered.weight
      counts.set(entered.group, count + 1)
    }
    // A word that is longer than the stretch never enters it.
    if (end === first) {
      end++
      continue
    }
    if (value > most) {
      most = value + rounding
      best = start
    }
    const count = counts.get(group)! - 1
    counts.set(group, count)
    value -= weight
    if (count > 0) value += (1 - again) * matches[next[first]!]!.weight
  }
  return best
}

/** For each match, the next one of its group. */
function nextOfGroup(matches: Match[]): number[] {
  const last = new Map<number, number>()
  const next: number[] = []
  for (let at = matches.length - 1; at >= 0; at--) {
    const { group } = matches[at]!
    next[at] = last.get(group) ?? matches.length
    last.set(group, at)
  }
  return next
}

/** The words of the text that stand for one of the query. */
function findMatches(unit: Unit, lookup: Lookup): Match[] {
  const { terms, starts, ends } = wordsOfUnit(unit)
  const matches: Match[] = []
  lookup.visit(terms, ([meaning], at) => {
    if (matches.at(-1)?.start === starts[at]) return
    matches.push({ start: starts[at]!, end: ends[at]!, ...meaning! })
  })
  return matches
}

/** The beginning of the sentence or line that holds the place, if it is near. */
function openingOf(text: string, place: number): number {
  const from = Math.max(0, place - 80)
  const before = text.slice(from, place)
  const sentence = Math.max(before.lastIndexOf('. ') + 2, before.lastIndexOf('\n') + 1)
  if (sentence > 1) return from + sentence
  if (from === 0) return 0
  const space = before.indexOf(' ')
  return space < 0 ? place : from + space + 1
}

function cut(text: string, start: number, room: number): string {
  const raw = text
    .slice(start, start + 2 * room)
    .replace(/\s+/gu, ' ')
    .trimStart()
  const isCut = start + 2 * room < text.length || raw.trimEnd().length > room
  let shown = raw.trimEnd()
  if (isCut && shown.length > room) {
    const space = shown.lastIndexOf(' ', room)
    shown = shown
      .slice(0, space > room / 2 ? space : room)
      .toWellFormed()
      .trimEnd()
  }
  return `${start > 0 ? '…' : ''}${shown}${isCut ? '…' : ''}`
}
