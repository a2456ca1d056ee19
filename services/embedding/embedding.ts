// Embeds the units of the index in the background. The index lists the units without a vector, so new pages need no
// notification and a restart continues. While most units of a project have no vector, their first texts are embedded before the
// rest, so that all sections are soon found by meaning. Vectors of first texts are deleted when all units have the vector of all
// their texts. After a failure, the endpoint is retried with exponential backoff. A text that the endpoint rejects is skipped
// until the next start.
import { setTimeout as delay } from 'node:timers/promises'
import type { SearchIndex, Unembedded, Unit } from '../index/search-index.ts'
import { hashText, toEmbeddedTexts, toFirstModel, toUnitVector } from '../index/units.ts'
import { type Embedder, isNotReady, ModelError } from '../model/model.ts'
import type { LimitStore } from '../store/limit.ts'
import type { VectorStore } from '../store/vector.ts'

const maxTexts = 64
/** Maximum limit of `SearchIndex.unembedded`. */
const maxUnits = 1_000
/** A text that every endpoint accepts: if it is rejected, the endpoint is at fault and not the other texts. */
const plainText = 'documentation'
/** Milliseconds between two polls for units without a vector. */
const idlePause = 2_000
const firstPause = 1_000
const maxPause = 60_000
/** Days after its last use that a stored vector is deleted. */
const keptDays = 90

export interface EmbeddingProgress {
  model: string
  /** Units in the project's index, and how many of them have a vector, if only of their first text. */
  total: number
  done: number
  /** Units whose text the endpoint has rejected since the start. Search finds them by words only. */
  refused: number
}

interface EmbeddingDeps {
  index: Pick<SearchIndex, 'projects' | 'unembedded' | 'setVectors' | 'keepVectors'>
  vectors: VectorStore
  embedder: Embedder
  now(): Date
  /** Receives the first of consecutive errors, and the first rejected text. */
  report(error: unknown): void
  /** Called once for each project that is mostly in a language that the model does not support. */
  tellForeign?(project: string, language: string): void
  /** Called before each round while the model does not support the languages of most sections. */
  tellMostlyForeign?(): void
  /** Called after each round with the number of sections in supported languages, and of those without a vector. */
  tellShare?(total: number, waiting: number): void
  pause?(milliseconds: number, signal: AbortSignal): Promise<unknown>
  /** Whether this process is to embed the project now. Default: always. */
  isOurs?(project: string): Promise<boolean>
}

export function createEmbedding(deps: EmbeddingDeps) {
  const { index, vectors, embedder, now, report, tellForeign, tellMostlyForeign, tellShare } = deps
  const { pause = (ms, signal) => delay(ms, undefined, { signal }), isOurs = async () => true } = deps
  /** Halved after a failure, for endpoints that are slow or accept few texts at once. Doubled after a success. */
  let batch = maxTexts
  let failures = 0
  /** Projects reported to `tellForeign`. */
  const reported = new Set<string>()
  /** Units of all projects at the last count, and those in supported languages. */
  let counts: { all: number; known: number } | null = null
  /** IDs of units whose text was rejected, by project. The index keeps listing them first. */
  const refused = new Map<string, Set<string>>()
  /** IDs of units whose first text was rejected, by project. Their other texts may be accepted. */
  const withoutStart = new Map<string, Set<string>>()
  /** Projects whose vectors of other models this process has deleted. */
  const tidied = new Set<string>()

  /**
   * Returns a vector for each text; null if the endpoint rejects the text. Finds rejected texts by bisection: if `c` is at fault,
   * `[a, b, c, d]` fails, the plain text succeeds, `[a, b]` succeeds, `[c, d]` fails, `c` fails, `d` succeeds.
   */
  async function embed(texts: string[], signal: AbortSignal): Promise<(Float32Array | null)[]> {
    try {
      return await embedder.embed('passage', texts, signal)
    } catch (error) {
      if (!(error instanceof ModelError) || error.retryable) throw error
    }
    await embedder.embed('passage', [plainText], signal)
    if (texts.length === 1) return [null]
    const middle = texts.length >> 1
    const first = await embed(texts.slice(0, middle), signal)
    return [...first, ...(await embed(texts.slice(middle), signal))]
  }

  /** Returns a vector for each unit: the mean of the vectors of its texts. Null if all its texts are rejected. */
  async function makeVectors(texts: string[][], signal: AbortSignal): Promise<(Float32Array | null)[]> {
    const hashes = texts.map((some) => hashText(some.join('\n')))
    const at = now().toISOString()
    const stored = await vectors.read(embedder.name, hashes, at)
    const byHash = new Map(hashes.map((hash, n) => [hash, stored[n]!]))
    const missing = new Map(hashes.flatMap((hash, n) => (stored[n] ? [] : [[hash, texts[n]!]])))
    const wanted = [...missing.values()].flat()
    // Those of first texts may be stored.
    const known = await vectors.read(embedder.name, wanted.map(hashText), at)
    const pending = wanted.filter((_, n) => known[n] === null)
    const made: (Float32Array | null)[] = []
    while (made.length < pending.length)
      made.push(...(await embed(pending.slice(made.length, made.length + batch), signal)))
    const results = known.map((vector) => vector ?? made.shift()!)
    const fresh = [...missing].flatMap(([hash, { length }]) => {
      const accepted = results.splice(0, length).filter((vector) => vector !== null)
      return accepted.length > 0 ? [{ hash, vector: toUnitVector(accepted) }] : []
    })
    for (const { hash, vector } of fresh) byHash.set(hash, vector)
    if (fresh.length > 0) await vectors.write(embedder.name, fresh, at)
    return hashes.map((hash) => byHash.get(hash)!)
  }

  /** Embeds a batch of the project's units. Returns the counts from before the batch. */
  async function embedSome(project: string, signal: AbortSignal): Promise<Omit<Unembedded, 'units'>> {
    const { name, languages } = embedder
    const rejected = refused.get(project) ?? new Set()
    const skipped = withoutStart.get(project) ?? new Set()
    const found = await index.unembedded(project, name, toLimit(rejected), languages)
    const isDone = found.units.every(({ id }) => rejected.has(id))
    const firstLimit = isDone ? 0 : toLimit(rejected, skipped)
    const first = await index.unembedded(project, toFirstModel(name), firstLimit, languages)
    const hasFirst = first.waiting < first.total
    if (isDone) {
      if (hasFirst || !tidied.has(project)) await index.keepVectors(project, name)
      tidied.add(project)
      return { ...found, waiting: 0 }
    }
    // If more first texts wait than units, a late batch of another process has left a few behind.
    const isNew = 2 * found.waiting > found.total || (hasFirst && first.waiting <= found.waiting)
    const starting = first.units.filter(({ id }) => isNew && !rejected.has(id) && !skipped.has(id))
    const isStart = starting.length > 0
    if (hasFirst && !isNew) await index.keepVectors(project, name)
    const units = isStart
      ? takeBatch(starting, 1)
      : takeBatch(found.units.filter(({ id }) => !rejected.has(id)))
    const results = await makeVectors(
      units.map(({ texts }) => texts),
      signal,
    )
    const embedded = units.flatMap(({ unit, isWhole }, n) => {
      const vector = results[n]
      return vector ? [{ unit: unit.id, vector, isWhole }] : []
    })
    if (isStart) await index.setVectors(project, toFirstModel(name), embedded)
    const whole = embedded.filter(({ isWhole }) => isWhole)
    await index.setVectors(project, name, whole)
    const failed = units.filter((_, n) => results[n] === null)
    for (const { unit, isWhole } of failed) if (!isWhole) skipped.add(unit.id)
    if (skipped.size > 0) withoutStart.set(project, skipped)
    setAside(
      project,
      failed.flatMap(({ unit, isWhole }) => (isWhole ? [unit] : [])),
    )
    return { ...found, waiting: Math.max(units.length, found.waiting - rejected.size) }
  }

  /** Units to list: a batch and those that are skipped. */
  function toLimit(...skipped: Set<string>[]): number {
    return Math.min(maxUnits, batch + skipped.reduce((sum, { size }) => sum + size, 0))
  }

  /** Takes as many units as fit into one request, at least one, with `max` texts of each. A crash then loses one request. */
  function takeBatch(units: Unit[], max = Number.POSITIVE_INFINITY) {
    const taken: { unit: Unit; texts: string[]; isWhole: boolean }[] = []
    let left = batch
    for (const unit of units) {
      const all = toEmbeddedTexts(unit)
      const texts = all.slice(0, max)
      left -= texts.length
      if (left < 0 && taken.length > 0) break
      taken.push({ unit, texts, isWhole: texts.length === all.length })
    }
    return taken
  }

  /** The first unit without a vector of a project whose units in supported languages all have one is in another language. */
  async function noteForeign(project: string) {
    const language = (await index.unembedded(project, embedder.name, 1)).units[0]?.language ?? null
    if (language === null) return
    reported.add(project)
    tellForeign?.(project, language)
  }

  function setAside(project: string, units: Unit[]) {
    const [first] = units
    if (first === undefined) return
    const text = `the text of ${first.url}: search finds it by words only`
    if (refused.size === 0) report(new Error(`the embedding model rejects ${text}`))
    refused.set(project, new Set([...(refused.get(project) ?? []), ...units.map(({ id }) => id)]))
  }

  const count = (project: string) => index.unembedded(project, embedder.name, 0, embedder.languages)

  async function countLanguages(projects: string[]) {
    const counted = { all: 0, known: 0 }
    for (const project of projects) {
      const { all, total } = await count(project)
      counted.all += all
      counted.known += total
    }
    return counted
  }

  /** Embeds one batch of each project. Returns the milliseconds to wait before the next round. */
  async function round(signal: AbortSignal): Promise<number> {
    let [total, waiting] = [0, 0]
    const counted = { all: 0, known: 0 }
    const foreign: string[] = []
    let refused: unknown = null
    const projects = await index.projects()
    // Counted before embedding, so that after a restart a model about to be replaced embeds nothing.
    counts ??= await countLanguages(projects)
    if (embedder.languages && 2 * counts.known < counts.all) tellMostlyForeign?.()
    for (const project of projects) {
      if (signal.aborted) return 0
      try {
        const isOwn = await isOurs(project)
        const share = await (isOwn ? embedSome(project, signal) : count(project))
        counted.all += share.all
        counted.known += share.total
        if (!isOwn) continue
        total += share.total
        waiting += share.waiting
        if (share.waiting === 0 && 2 * share.total < share.all) foreign.push(project)
      } catch (error) {
        // An error of the endpoint concerns all projects, an error of the index only this one.
        if (error instanceof ModelError) throw error
        refused ??= error
      }
    }
    if (refused !== null) throw refused
    counts = counted
    // Otherwise the next round replaces the model.
    if (!tellMostlyForeign || 2 * counts.known >= counts.all)
      for (const project of foreign) if (!reported.has(project)) await noteForeign(project)
    tellShare?.(total, waiting)
    return waiting > 0 ? 0 : idlePause
  }

  /** Returns the milliseconds to wait. */
  function afterFailure(error: unknown): number {
    if (isNotReady(error)) return idlePause
    batch = Math.max(1, batch >> 1)
    if (failures === 0) report(error)
    failures += 1
    return Math.min(maxPause, firstPause * 2 ** (failures - 1))
  }

  return {
    /** Runs until the signal aborts. Never rejects. */
    async run(signal: AbortSignal): Promise<void> {
      const oldest = new Date(now().getTime() - keptDays * 86_400_000).toISOString()
      await vectors.prune(oldest).catch(report)
      while (!signal.aborted) {
        let wait = idlePause
        try {
          wait = await round(signal)
          batch = Math.min(maxTexts, 2 * batch)
          failures = 0
        } catch (error) {
          if (signal.aborted) return
          wait = afterFailure(error)
        }
        if (wait > 0) await pause(wait, signal).catch(() => {})
      }
    },

    /** `replacement`: name of a model for all languages that replaces the current one, maybe still loading. */
    async progress(project: string, replacement: string | null = null): Promise<EmbeddingProgress> {
      const name = replacement ?? embedder.name
      const languages = replacement ? null : embedder.languages
      const rejected = refused.get(project) ?? new Set()
      const limit = Math.min(maxUnits, rejected.size)
      const { units } = await index.unembedded(project, name, limit, languages)
      const left = units.filter(({ id }) => rejected.has(id)).length
      return { ...(await countEmbedded(index, project, name, languages)).share, refused: left }
    },
  }
}

/** `done`: units that search finds by meaning. */
export async function countEmbedded(
  index: Pick<SearchIndex, 'unembedded'>,
  project: string,
  name: string,
  languages: string[] | null = null,
) {
  const { all, total, waiting } = await index.unembedded(project, name, 0, languages)
  const first = await index.unembedded(project, toFirstModel(name), 0, languages)
  return { all, share: { model: name, total, done: total - Math.min(waiting, first.waiting) } }
}

/** Milliseconds. After a crash, another process takes over the project within this time. */
const leaseMs = 20_000

/**
 * Returns whether this process is to embed the project now: the first process to count in a window has the lease until the
 * window ends. A batch that takes longer may be embedded twice, which is harmless.
 */
export function createEmbeddingLease(
  limits: Pick<LimitStore, 'hit'>,
  now: () => number,
): (project: string) => Promise<boolean> {
  /** By project. Renewed after its end. */
  const leases = new Map<string, { isOurs: boolean; endsAt: number }>()

  return async (project) => {
    const known = leases.get(project)
    if (known !== undefined && known.endsAt > now()) return known.isOurs
    const { count, endsAt } = await limits.hit(`embedding:${project}`, leaseMs, now())
    leases.set(project, { isOurs: count === 1, endsAt })
    return count === 1
  }
}

const interval = 60_000

/** Returns a function that logs progress once a minute. It takes the number of sections, and of those without a vector. */
export function createShareLog(now: () => number, tell: (line: string) => void) {
  let last: { at: number; waiting: number } | null = null
  let isLogged = false

  return (total: number, waiting: number) => {
    if (waiting === 0) {
      if (isLogged) tell(`all ${total} sections are embedded`)
      last = null
      isLogged = false
      return
    }
    const at = now()
    last ??= { at, waiting }
    if (at - last.at < interval) return
    const pace = (last.waiting - waiting) / (at - last.at)
    const minutes = Math.ceil(waiting / pace / 60_000)
    const rest = pace > 0 ? `, about ${minutes} min left` : ''
    tell(`embedded ${total - waiting} of ${total} sections${rest}`)
    last = { at, waiting }
    isLogged = true
  }
}
