// Candidates by meaning: the units nearest to a question, and how near those are that were found by their words.
import { DomainError } from '../errors.ts'
import type { Hit } from '../index/search-index.ts'
import type { QuestionVector } from './question-vectors.ts'
import { type RetrieveDeps, readable, type Wanted } from './retrieve.ts'

/** First what ranking needs; more only where too many of them are dropped. */
const stages = [100, 1_000]
/** So many of the nearest are candidates of their own. */
const maxOthers = 100
/** What the index takes at once. */
const maxAmong = 1_000

export interface Nearest {
  /** Units that are near and not among the given hits. */
  others: Hit[]
  /** Cosine of question and unit, from -1 to 1; null for a unit without a vector. */
  similarity(unit: string): number | null
  /**
   * 0 to 1: 1 for the nearest unit of all, 0 for the hundredth and all beyond. Cosines of one model all lie between .7
   * and .9, those of another between .1 and .6: only their order and their gaps within one answer say something. While
   * units wait to be embedded, it is less by the share of the given hits that wait, and they have the mean of the others:
   * what has a vector already is no better for that.
   */
  nearness(unit: string): number
}

/** Null where the index holds no vectors that fit: search is lexical then. */
export async function findNearest(
  deps: RetrieveDeps,
  project: string,
  { model, vector }: QuestionVector,
  hits: Hit[],
  wanted: Wanted,
): Promise<Nearest | null> {
  const { filter, enough } = wanted
  const ask = async (limit: number, among?: string[]) =>
    deps.index.findByVector(project, { model, vector, filter, limit, ...(among && { among }) })
  try {
    let near: Hit[] = []
    for (const limit of stages) {
      const found = await ask(limit)
      near = await readable(deps, found, wanted)
      if (near.length >= enough || found.length < limit) break
    }
    if (near.length === 0) return null
    const cosines = new Map(near.map(({ unit, score }) => [unit.id, score]))
    const known = new Set(hits.map(({ unit }) => unit.id))
    const others = near.slice(0, maxOthers).filter(({ unit }) => !known.has(unit.id))
    const missing = hits.map(({ unit }) => unit.id).filter((id) => !cosines.has(id))
    for (const { unit, score } of await ask(maxAmong, missing)) cosines.set(unit.id, score)
    const best = near[0]!.score
    const least = near[Math.min(near.length, stages[0]!) - 1]!.score
    const toNearness = (cosine: number) => Math.max(0, (cosine - least) / (best - least || 1))
    const ofHits = hits.flatMap(({ unit }) => cosines.get(unit.id) ?? []).map(toNearness)
    const share = hits.length === 0 ? 1 : ofHits.length / hits.length
    const usual = ofHits.reduce((sum, value) => sum + value, 0) / (ofHits.length || 1)
    return {
      others,
      similarity: (unit) => cosines.get(unit) ?? null,
      nearness(unit) {
        const cosine = cosines.get(unit)
        return share * (cosine === undefined ? usual : toNearness(cosine))
      },
    }
  } catch (error) {
    if (error instanceof DomainError) return null
    throw error
  }
}
