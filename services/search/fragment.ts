// The piece of a text that shows why it was found.
import type { Unit } from '../index/search-index.ts'
import type { Lookup } from './unit-match.ts'
import { wordsOfUnit } from './unit-words.ts'

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
  const matches = findMatches(unit, lookup)
  let best = { start: 0, value: 0 }
  for (const [first, { start }] of matches.entries()) {
    const seen = new Map<number, number>()
    for (let at = first; at < matches.length && matches[at]!.end - start <= room - 40; at++) {
      const { group, weight } = matches[at]!
      seen.set(group, (seen.get(group) ?? 0) + weight / (seen.has(group) ? 8 : 1))
    }
    const value = [...seen.values()].reduce((sum, each) => sum + each, 0)
    if (value > best.value) best = { start, value }
  }
  return cut(text, best.value === 0 ? 0 : openingOf(text, best.start), room)
}

/** The words of the text that stand for one of the query. */
function findMatches(unit: Unit, lookup: Lookup): Match[] {
  const { terms, word, starts, ends } = wordsOfUnit(unit)
  const matches: Match[] = []
  lookup.visit(terms, ([meaning], at) => {
    const place = word[at]!
    if (matches.at(-1)?.start === starts[place]) return
    matches.push({ start: starts[place]!, end: ends[place]!, ...meaning! })
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
