// A unit as an object of Weaviate: the terms that are searched, the values that filters ask for, and the rest as one text.
import { createHash } from 'node:crypto'
import { LRUCache } from 'lru-cache'
import { toVersionKey, type Unit, type UnitFilter } from '../search-index.ts'
import type { Tenant, Wanted } from './tenant.ts'

export interface StoredUnit {
  /** `{page}:{version}` */
  pageVersion: string
  sourceType: string
  /** Left out where the unit has none: no filter lets it pass then. */
  docVersion?: string
  language?: string
  /** What is searched, fields on lines of their own: title, heading as often as it weighs, body. See toTerms. */
  terms: string
  text: string
  /** JSON of everything else: read at once, searched never. */
  head: string
}

/** What filters and removals ask of a unit, and of its vector. */
export const facetNames = ['pageVersion', 'sourceType', 'docVersion', 'language'] as const
/** What must be fetched to have a unit whole. */
export const unitNames = ['head', 'terms', 'text'] as const

type FieldTerms = Pick<Unit, 'titleTerms' | 'headingTerms' | 'bodyTerms'>

export function toStored({ text, titleTerms, headingTerms, bodyTerms, ...head }: Unit): StoredUnit {
  const { page, version, sourceType, docVersion, language } = head
  return {
    pageVersion: toVersionKey(page, version),
    sourceType,
    ...(docVersion !== null && { docVersion }),
    ...(language !== null && { language }),
    terms: toTerms({ titleTerms, headingTerms, bodyTerms }),
    text,
    head: JSON.stringify(head),
  }
}

export function toUnit({ head, terms, text }: Pick<StoredUnit, (typeof unitNames)[number]>): Unit {
  return { ...(JSON.parse(head) as Omit<Unit, 'text' | keyof FieldTerms>), ...readTerms(terms), text }
}

/**
 * Weaviate adds up the scores of properties, so that a term in title, heading and body counts three times; in one property its
 * occurrences are added up and saturated then, as BM25F has it. The weight of a field is the number of its repetitions.
 *
 *   title "os", heading "walk", body "a tree" → "os", "walk", "walk", "a tree"
 */
function toTerms({ titleTerms, headingTerms, bodyTerms }: FieldTerms): string {
  return [titleTerms, headingTerms, headingTerms, bodyTerms].join('\n')
}

export function readTerms(terms: string): FieldTerms {
  const [titleTerms = '', headingTerms = '', , bodyTerms = ''] = terms.split('\n')
  return { titleTerms, headingTerms, bodyTerms }
}

/**
 * The object's id, always the same for a unit's id `{page}:{version}:{ordinal}`. Weaviate keeps objects in the order of
 * their ids, so the first half is that of the page's version: its units follow each other when all are read.
 */
export function toObjectId(unit: string): string {
  const first = hex(unit.slice(0, unit.lastIndexOf(':')))
  const second = hex(unit)
  // Version 8, variant 10: a UUID of one's own making (RFC 9562, section 5.8).
  return `${first.slice(0, 8)}-${first.slice(8, 12)}-8${first.slice(13, 16)}-a${second.slice(1, 4)}-${second.slice(4, 16)}`
}

function hex(text: string): string {
  return createHash('sha256').update(text).digest('hex')
}

/** Units of some 5 KB each. */
const maxKnown = 8_000

/**
 * Units read lately. A unit never changes, so Weaviate is asked only for those that are not known yet: as a reader types, a
 * search meets the same ones again, and what ranking remembers of a unit stays with it.
 */
export function createKnownUnits() {
  /** By object id, which no two projects share: see toObjectId. */
  const known = new LRUCache<string, Unit>({ max: maxKnown })

  return {
    /** Units by their object ids, in that order; missing ones are left out. Shared: do not change them. */
    async read(tenant: Tenant, ids: string[]): Promise<Unit[]> {
      const units = new Map(ids.map((id) => [id, known.get(id)]))
      const missing = ids.filter((id) => units.get(id) === undefined)
      for (const { id, properties } of await tenant.get(missing, unitNames)) {
        const unit = toUnit(properties as unknown as StoredUnit)
        known.set(id, unit)
        units.set(id, unit)
      }
      return [...units.values()].filter((unit) => unit !== undefined)
    },

    forget: () => known.clear(),
  }
}

export type KnownUnits = ReturnType<typeof createKnownUnits>

/** What a filter asks for, by the names of the properties. */
export function toWanted({ docVersion, language, sourceTypes }: UnitFilter = {}): Wanted {
  const wanted: Wanted = []
  if (docVersion !== undefined) wanted.push(['docVersion', [docVersion]])
  if (language !== undefined) wanted.push(['language', [language]])
  if (sourceTypes !== undefined) wanted.push(['sourceType', sourceTypes])
  return wanted
}
