// A section may be a heading alone: its text stands in the sections below it. A reader sees the first of those.
import type { SearchIndex, Unit } from '../index/search-index.ts'
import type { Ranked } from './rank.ts'

/** So many units after it are looked at: a heading may stand directly below another. */
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

/** The first text below the heading; null where there is none. */
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
