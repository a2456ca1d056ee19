// Retrieves the candidates of a query from the index: units that contain its terms, and for a question also those with the nearest
// vectors. Only units of current page versions.
import { DomainError } from '../errors.ts'
import type { Hit, SearchIndex, Unit, UnitFilter } from '../index/search-index.ts'
import type { PageStore } from '../store/page.ts'
import { findByMeaning, type QuestionVector } from './meaning.ts'
import type { ParsedQuery } from './understand.ts'

/** Maximum candidates of a question found by words. */
const maxByWords = 64
/** Limits of successive queries of the index: the second only if the first yields too few units. */
const limits = { words: [maxByWords, 1_000], vector: [100, 1_000] }
/** Ids per query of the index. */
const maxAmong = 1_000

export interface RetrieveDeps {
  index: SearchIndex
  pages: Pick<PageStore, 'current'>
}

export interface Wanted {
  filter: UnitFilter
  /** Whether the URL filter admits a page. */
  admits(url: string): boolean
  /** With fewer candidates, retrieval continues. */
  enough: number
}

export interface Candidates {
  hits: Hit[]
  /** For a question: the first unit of each page, by the page's UUID. */
  openings: ReadonlyMap<string, Unit>
  /** Null without vectors. */
  nearest: Awaited<ReturnType<typeof findNearest>>
  /** For a question: further units found by words, always ranked after the candidates. */
  rest: Hit[]
}

/** `vector`: the question's. The candidates of a question do not depend on the number of results. */
export async function retrieve(
  deps: RetrieveDeps,
  project: string,
  query: ParsedQuery,
  vector: Promise<QuestionVector | null>,
  wanted: Wanted,
): Promise<Candidates> {
  const found = await findByWords(deps, project, query, wanted)
  const questionVector = await vector
  const best = query.isQuestion ? found.slice(0, maxByWords) : found
  const nearest = questionVector && (await findNearest(deps, project, questionVector, best, wanted))
  if (!query.isQuestion) return { hits: found, openings: new Map(), nearest, rest: [] }
  const hits = [...best, ...(nearest?.others ?? [])]
  const known = new Set(hits.map(({ unit }) => unit.id))
  const rest = found.filter(({ unit }) => !known.has(unit.id))
  return { hits, openings: await readFirstUnits(deps, project, hits), nearest, rest }
}

/** Units that contain terms of the query, best first. */
async function findByWords(
  deps: RetrieveDeps,
  project: string,
  { terms, groups }: ParsedQuery,
  wanted: Wanted,
): Promise<Hit[]> {
  if (terms.length === 0) return []
  const chosen = new Set(terms)
  const words = groups.map(({ idf, weight, alternatives }) =>
    [...alternatives].flatMap(([term, share]) =>
      chosen.has(term) ? [{ term, weight: idf * weight * share }] : [],
    ),
  )
  const { filter } = wanted
  return readEnough(deps, wanted, limits.words, (limit) =>
    deps.index.findByTerms(project, { words, filter, limit }),
  )
}

async function readEnough(
  { pages }: RetrieveDeps,
  { admits, enough }: Wanted,
  limits: number[],
  find: (limit: number) => Promise<Hit[]>,
): Promise<Hit[]> {
  let readable: Hit[] = []
  for (const limit of limits) {
    const hits = await find(limit)
    const admitted = hits.filter(({ unit }) => admits(unit.url))
    const current = await pages.current([...new Set(admitted.map(({ unit }) => unit.page))])
    readable = admitted.filter(({ unit }) => current.get(unit.page) === unit.version)
    if (readable.length >= enough || hits.length < limit) break
  }
  return readable
}

/** Null if the index has no vectors of the model. Search then uses words only. */
async function findNearest(
  deps: RetrieveDeps,
  project: string,
  { model, vector }: QuestionVector,
  hits: Hit[],
  wanted: Wanted,
) {
  const find = (limit: number, among?: string[]) =>
    findByMeaning(deps.index, project, {
      model,
      vector,
      filter: wanted.filter,
      limit,
      ...(among && { among }),
    })
  try {
    const near = await readEnough(deps, wanted, limits.vector, find)
    if (near.length === 0) return null
    const cosines = new Map(near.map(({ unit, score }) => [unit.id, score]))
    const ids = hits.map(({ unit }) => unit.id)
    const missing = ids.filter((id) => !cosines.has(id))
    for (const { unit, score } of await find(maxAmong, missing)) cosines.set(unit.id, score)
    const [maxOthers] = limits.vector as [number]
    const best = near[0]!.score
    const worst = near[Math.min(near.length, maxOthers) - 1]!.score
    const toNearness = (cosine: number) => Math.max(0, (cosine - worst) / (best - worst || 1))
    const known = ids.flatMap((id) => cosines.get(id) ?? []).map(toNearness)
    const share = ids.length === 0 ? 1 : known.length / ids.length
    const mean = known.reduce((sum, value) => sum + value, 0) / (known.length || 1)
    return {
      /** Near units that are not among the given hits. */
      others: near.slice(0, maxOthers).filter(({ unit }) => !ids.includes(unit.id)),
      /** Cosine of question and unit, from -1 to 1; null for a unit without a vector. */
      similarity: (unit: string) => cosines.get(unit) ?? null,
      /**
       * From 1 for the nearest unit to 0 for the hundredth and all beyond. Relative, because one model's cosines range from .7 to .9,
       * another's from .1 to .6. While units wait to be embedded, it is reduced by the share of given hits that wait, which
       * themselves get the mean of the others, so that being embedded first is no advantage.
       */
      nearness(unit: string) {
        const cosine = cosines.get(unit)
        return share * (cosine === undefined ? mean : toNearness(cosine))
      },
    }
  } catch (error) {
    if (error instanceof DomainError) return null
    throw error
  }
}

/** The first unit of each hit's page, by the page's UUID. */
async function readFirstUnits(
  { index }: RetrieveDeps,
  project: string,
  hits: Hit[],
): Promise<Map<string, Unit>> {
  const units = hits.map(({ unit }) => unit)
  const first = new Map(units.filter(({ ordinal }) => ordinal === 0).map((unit) => [unit.page, unit]))
  const missing = units.filter(({ page }) => !first.has(page))
  const ids = new Set(missing.map(({ page, version }) => `${page}:${version}:0`))
  for (const unit of ids.size > 0 ? await index.units(project, [...ids]) : []) first.set(unit.page, unit)
  return first
}
