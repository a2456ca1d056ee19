// The Weaviate driver of the index port. Each project has its own tenants.
import type { WeaviateClient } from 'weaviate-client'
import type { WeaviateConfig } from '../../config.ts'
import { createSemaphore } from '../../semaphore.ts'
import {
  type Hit,
  parseVersionKey,
  type SearchIndex,
  type TermQuery,
  toVersionKey,
  type Unit,
  type Vocabulary,
} from '../search-index.ts'
import { countBody, countHeading, countTitle, lengthStep, scoreTable } from '../segments/posting.ts'
import { createTermTable, termsOfUnit } from '../unit-terms.ts'
import { createConnection, ensureCollections, unitCollection } from './connection.ts'
import {
  createKnownUnits,
  type KnownUnits,
  readTerms,
  toObjectId,
  toStored,
  toWanted,
} from './stored-unit.ts'
import { createTenant, removeTenants, type Tenant, tenantNames } from './tenant.ts'
import {
  createUnembedded,
  dropVectors,
  findByVector,
  keepVectors,
  removeVectors,
  setVectors,
  vectorTenant,
} from './vectors.ts'

/** Creating the collections takes time. If Weaviate is unreachable, it fails immediately. */
const openingLimits = { timeout: 30, pauses: [] }
/** If only gRPC is unreachable, weaviate-client itself retries for half a minute. */
const probingLimits = { timeout: 5, pauses: [] }
/** Readers get an error rather than a long wait. */
const readingLimits = { timeout: 2, pauses: [] }
/** Writers wait half a minute for a restart of Weaviate. */
const writingLimits = { timeout: 60, pauses: [250, 500, 1_000, 2_000, 4_000, 8_000, 15_000] }

/** Opens the index and creates missing collections. Rejects with DomainError(unavailable) if Weaviate does not respond. */
export async function openWeaviateIndex(config: WeaviateConfig): Promise<SearchIndex> {
  const reading = createConnection(config, readingLimits)
  const writing = createConnection(config, writingLimits)
  /** Serializes this process's writes to a project. */
  const writers = createSemaphore({ max: Number.POSITIVE_INFINITY, maxOfGroup: 1 })
  const findUnembedded = createUnembedded()
  const known = createKnownUnits()
  const readable = (project: string) => createTenant(reading, unitCollection, project)
  const writable = (project: string) => createTenant(writing, unitCollection, project)

  const opening = createConnection(config, openingLimits)
  await opening.use(ensureCollections).finally(opening.close)
  const probing = createConnection(config, probingLimits)
  await probing.use(checkBoth).finally(probing.close)

  return {
    async add(project, units) {
      if (units.length === 0) return
      await writers.run(project, async () => {
        const tenant = writable(project)
        // Of duplicate ids, the first unit wins.
        const fresh = new Map(units.toReversed().map((unit) => [toObjectId(unit.id), unit]))
        for (const { id } of await tenant.get([...fresh.keys()])) fresh.delete(id)
        await tenant.insert(
          [...fresh].map(([id, unit]) => ({
            id,
            properties: { ...toStored(unit) } as Record<string, string>,
          })),
        )
      })
    },
    findByTerms: (project, query) => findByTerms(readable(project), query, known),
    units: (project, ids) => known.read(readable(project), ids.map(toObjectId)),
    findByVector: (project, query) => findByVector(reading, readable(project), query, known),
    setVectors: (project, model, vectors) =>
      writers.run(project, () => setVectors(writing, writable(project), model, vectors)),
    keepVectors: (project, model) => writers.run(project, () => keepVectors(writing, project, model)),
    unembedded(project, model, limit, languages = null) {
      // Limit 0 requests the counts for a reader.
      const connection = limit === 0 ? reading : writing
      const units = createTenant(connection, unitCollection, project)
      return findUnembedded(units, vectorTenant(connection, project, model), limit, languages)
    },
    async remove(project, versions) {
      if (versions.length === 0) return
      await writers.run(project, async () => {
        const gone = versions.map(({ page, version }) => toVersionKey(page, version))
        await removeVectors(writing, project, gone)
        await writable(project).remove('pageVersion', gone)
      })
    },
    async *versions(project) {
      const counts = new Map<string, number>()
      for await (const some of writable(project).walk(['pageVersion'])) {
        for (const { properties } of some) {
          const key = properties.pageVersion!
          counts.set(key, 1 + (counts.get(key) ?? 0))
        }
      }
      for (const [key, units] of counts) yield { ...parseVersionKey(key), units }
    },
    vocabulary: (project) => countTerms(writable(project)),
    async optimize() {
      // Weaviate merges its segments itself.
    },
    projects: () => tenantNames(writing, unitCollection),
    drop: (project) =>
      writers.run(project, async () => {
        known.forget()
        await dropVectors(writing, project)
        await removeTenants(writing, unitCollection, [project])
      }),
    ping: () => reading.use(checkBoth),
    async close() {
      reading.close()
      writing.close()
    },
  }
}

/** Checks both addresses: lists collections over HTTP and looks up a tenant that does not exist over gRPC. */
async function checkBoth({ collections }: WeaviateClient): Promise<void> {
  await collections.exists(unitCollection)
  await collections.use(unitCollection).tenants.getByNames(['nobody'])
}

/** Counts terms by reading all units, because Weaviate does not expose its dictionary. */
async function countTerms(tenant: Tenant): Promise<Vocabulary> {
  const sums = new Map<string, { anywhere: number; inHeadings: number }>()
  let units = 0
  for await (const page of tenant.walk(['terms'])) {
    for (const { properties } of page) {
      const { titleTerms, headingTerms, bodyTerms } = readTerms(properties.terms!)
      units += 1
      const inHeadings = new Set(headingTerms.split(' '))
      for (const term of new Set(`${titleTerms} ${headingTerms} ${bodyTerms}`.split(' '))) {
        if (term === '') continue
        const sum = sums.get(term) ?? { anywhere: 0, inHeadings: 0 }
        sums.set(term, sum)
        sum.anywhere += 1
        if (inHeadings.has(term)) sum.inHeadings += 1
      }
    }
  }
  const terms = [...sums.keys()].sort()
  return {
    units,
    terms,
    counts: Uint32Array.from(terms, (term) => sums.get(term)!.anywhere),
    inHeadings: Uint32Array.from(terms, (term) => sums.get(term)!.inHeadings),
  }
}

/** Maximum additional candidates. */
const maxMore = 128

async function findByTerms(tenant: Tenant, query: TermQuery, known: KnownUnits): Promise<Hit[]> {
  const terms = [...new Set(query.words.flat().map(({ term }) => term))]
  const limit = query.limit + Math.min(2 * query.limit, maxMore)
  const found = await tenant.findByTerms('terms', terms, toWanted(query.filter), limit)
  const units = await known.read(
    tenant,
    found.map(({ id }) => id),
  )
  // Weaviate does not report the average body length, so the candidates' average is used.
  const averageStep = units.reduce((sum, unit) => sum + toStep(unit), 0) / units.length
  const score = createScore(terms, query, scoreTable(averageStep))
  return units
    .map((unit) => ({ unit, score: score(unit) }))
    .sort((a, b) => b.score - a.score)
    .slice(0, query.limit)
}

const toStep = (unit: Unit) => lengthStep(termsOfUnit(unit).body.length)

/** Scores a unit: the sum of the best term's score of each word. */
function createScore(terms: string[], { words }: TermQuery, table: Float32Array) {
  const numbers = new Map(terms.map((term, number) => [term, number]))
  const numbersByHash = createTermTable(numbers)
  const counts = new Uint32Array(terms.length)
  const fields = [
    { field: 'title', count: countTitle },
    { field: 'headings', count: countHeading },
    { field: 'body', count: countBody },
  ] as const
  const numbered = words.map((word) =>
    word.map(({ term, weight }) => ({ number: numbers.get(term)!, weight })),
  )
  return (unit: Unit): number => {
    const unitTerms = termsOfUnit(unit)
    const step = toStep(unit) << 8
    counts.fill(0)
    for (const { field, count } of fields) {
      numbersByHash.visit(unitTerms[field], (number) => {
        counts[number] = count(counts[number]!)
      })
    }
    const best = (word: { number: number; weight: number }[]) =>
      Math.max(0, ...word.map(({ number, weight }) => weight * table[step | counts[number]!]!))
    return numbered.reduce((sum, word) => sum + best(word), 0)
  }
}
