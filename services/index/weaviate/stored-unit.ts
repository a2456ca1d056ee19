// A unit as an object of Weaviate: its searchable terms, its filterable properties, and everything else as JSON.
import { createHash } from 'node:crypto'
import { LRUCache } from 'lru-cache'
import { toVersionKey, type Unit, type UnitFilter } from '../search-index.ts'
import type { Tenant, Wanted } from './tenant.ts'

export interface StoredUnit {
  /** `{page}:{version}` */
  pageVersion: string
  sourceType: string
  /** Absent if the unit has none. Then no filter on it matches. */
  docVersion?: string
  language?: string
  /** Searchable terms, a line for each of title, heading (repeated by its weight) and body. See toTerms. */
  terms: string
  text: string
  /** JSON of all other properties. */
  head: string
}

/** Filterable properties of a unit and of its vector. */
export const facetNames = ['pageVersion', 'sourceType', 'docVersion', 'language'] as const
/** Properties that make up a complete unit. */
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
 * Weaviate sums the scores of properties, so a term in title, heading and body would count three times. In a single property,
 * occurrences are summed before saturation, as in BM25F. Repetitions give a field its weight.
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
 * Derives the object id from the unit id `{page}:{version}:{ordinal}`. Weaviate sorts objects by id. The first half depends on
 * the page version only, so that its units are consecutive.
 */
export function toObjectId(unit: string): string {
  const first = hex(unit.slice(0, unit.lastIndexOf(':')))
  const second = hex(unit)
  // Version 8, variant 10: a custom UUID (RFC 9562, section 5.8).
  return `${first.slice(0, 8)}-${first.slice(8, 12)}-8${first.slice(13, 16)}-a${second.slice(1, 4)}-${second.slice(4, 16)}`
}

function hex(text: string): string {
  return createHash('sha256').update(text).digest('hex')
}

/** Units of about 5 KB each. */
const maxCached = 8_000

/**
 * A cache of units, which are immutable. While a reader types, successive searches find the same units. Ranking also caches
 * values by unit.
 */
export function createKnownUnits() {
  /** By object id, which is unique among projects. */
  const cache = new LRUCache<string, Unit>({ max: maxCached })

  return {
    /** Returns units by object id, in the given order, without missing ones. Shared: do not modify. */
    async read(tenant: Tenant, ids: string[]): Promise<Unit[]> {
      const units = new Map(ids.map((id) => [id, cache.get(id)]))
      const missing = ids.filter((id) => units.get(id) === undefined)
      for (const { id, properties } of await tenant.get(missing, unitNames)) {
        const unit = toUnit(properties as unknown as StoredUnit)
        cache.set(id, unit)
        units.set(id, unit)
      }
      return [...units.values()].filter((unit) => unit !== undefined)
    },

    forget: () => cache.clear(),
  }
}

export type KnownUnits = ReturnType<typeof createKnownUnits>

/** Converts a filter to values by property. */
export function toWanted({ docVersion, language, sourceTypes }: UnitFilter = {}): Wanted {
  const wanted: Wanted = []
  if (docVersion !== undefined) wanted.push(['docVersion', [docVersion]])
  if (language !== undefined) wanted.push(['language', [language]])
  if (sourceTypes !== undefined) wanted.push(['sourceType', sourceTypes])
  return wanted
}
