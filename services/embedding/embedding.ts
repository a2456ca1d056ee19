// Gives every unit of the index a vector, in the background. The index says which units have none, so that nobody has to
// announce new pages and a restart continues. An endpoint that fails is called again after growing pauses; a text that it
// refuses is skipped until the next start.
import { setTimeout as delay } from 'node:timers/promises'
import type { SearchIndex, Unembedded, Unit } from '../index/search-index.ts'
import { hashText, toEmbeddedTexts, toUnitVector } from '../index/units.ts'
import { type Embedder, isNotReady, ModelError } from '../model/model.ts'
import type { LimitStore } from '../store/limit.ts'
import type { VectorStore } from '../store/vector.ts'

const maxTexts = 64
/** What the index is asked for at once at most (search-index.ts). */
const maxUnits = 1_000
/** Taken by any endpoint that takes texts at all: where it is refused, so is everything. */
const plainText = 'documentation'
/** Milliseconds between two looks for units that wait. */
const idlePause = 2_000
const firstPause = 1_000
const maxPause = 60_000
/** Days; a vector that was not asked for in that time is deleted. */
const keptDays = 90

export interface EmbeddingProgress {
  model: string
  /** Units in the project's index, and how many of them have a vector. */
  total: number
  done: number
  /** Units that wait, whose text the endpoint has refused since the start: they are found by their words alone. */
  refused: number
}

interface EmbeddingDeps {
  index: Pick<SearchIndex, 'projects' | 'unembedded' | 'setVectors'>
  vectors: VectorStore
  embedder: Embedder
  now(): Date
  /** Told once of a row of failures, and of the first text that is refused. */
  report(error: unknown): void
  /** Told once of a project, a UUID, that is mostly in a language which the model does not know. */
  tellForeign?(project: string, language: string): void
  /** Called before each round while most sections of all projects are in languages that the model does not know. */
  tellMostlyForeign?(): void
  /** Called often, with the number of sections of all projects in languages that the model knows, and of those that wait. */
  tellShare?(total: number, waiting: number): void
  pause?(milliseconds: number, signal: AbortSignal): Promise<unknown>
  /** Whether a project is this process's to embed now; always, where it is left out. */
  isOurs?(project: string): Promise<boolean>
}

export function createEmbedding(deps: EmbeddingDeps) {
  const { index, vectors, embedder, now, report, tellForeign, tellMostlyForeign, tellShare } = deps
  const { pause = rest, isOurs = async () => true } = deps
  /** Halved when a request fails, for endpoints that are slow or take few texts at once; doubled when one succeeds. */
  let batch = maxTexts
  let failures = 0
  /** Projects of which is known in what language they mostly are. */
  const looked = new Set<string>()
  /** Units of all projects at the last count, and those of them in languages that the model knows. */
  let counts: { all: number; known: number } | null = null
  /** Ids of units whose text was refused, by project; the index lists them first for ever. */
  const refused = new Map<string, Set<string>>()

  /**
   * A vector a text; null for one that the endpoint refuses for its own sake. `[a, b, c, d]` refused, `c` at fault: a
   * plain text is taken, so is `[a, b]`, `[c, d]` is not, `c` is not, `d` is.
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

  /** A vector a unit, the mean of those of its texts; null for a unit whose texts are all refused. */
  async function makeVectors(texts: string[][], signal: AbortSignal): Promise<(Float32Array | null)[]> {
    const hashes = texts.map((some) => hashText(some.join('\n')))
    const at = now().toISOString()
    const known = await vectors.read(embedder.name, hashes, at)
    const made = new Map(hashes.map((hash, n) => [hash, known[n]!]))
    const missing = new Map(hashes.flatMap((hash, n) => (known[n] ? [] : [[hash, texts[n]!]])))
    const asked = [...missing.values()].flat()
    const answered: (Float32Array | null)[] = []
    while (answered.length < asked.length)
      answered.push(...(await embed(asked.slice(answered.length, answered.length + batch), signal)))
    const kept = [...missing].flatMap(([hash, { length }]) => {
      const taken = answered.splice(0, length).filter((vector) => vector !== null)
      return taken.length > 0 ? [{ hash, vector: toUnitVector(taken) }] : []
    })
    for (const { hash, vector } of kept) made.set(hash, vector)
    if (kept.length > 0) await vectors.write(embedder.name, kept, at)
    return hashes.map((hash) => made.get(hash)!)
  }

  /** Embeds a batch of the project's units. Answers the numbers of units, and how many waited before. */
  async function embedSome(project: string, signal: AbortSignal): Promise<Omit<Unembedded, 'units'>> {
    const aside = refused.get(project) ?? new Set()
    const limit = Math.min(maxUnits, batch + aside.size)
    const found = await index.unembedded(project, embedder.name, limit, embedder.languages)
    const units = takeBatch(found.units.filter(({ id }) => !aside.has(id)))
    if (units.length === 0) {
      if (2 * found.total < found.all) await noteForeign(project)
      return { ...found, waiting: 0 }
    }
    const made = await makeVectors(
      units.map(({ texts }) => texts),
      signal,
    )
    const embedded = made.flatMap((vector, n) => (vector ? [{ unit: units[n]!.unit.id, vector }] : []))
    await index.setVectors(project, embedder.name, embedded)
    setAside(
      project,
      units.flatMap(({ unit }, n) => (made[n] ? [] : [unit])),
    )
    return { ...found, waiting: Math.max(units.length, found.waiting - aside.size) }
  }

  /** As many units as one request takes texts, at least one: what is lost with the process is one request. */
  function takeBatch(units: Unit[]): { unit: Unit; texts: string[] }[] {
    const taken: { unit: Unit; texts: string[] }[] = []
    let left = batch
    for (const unit of units) {
      const texts = toEmbeddedTexts(unit)
      left -= texts.length
      if (left < 0 && taken.length > 0) break
      taken.push({ unit, texts })
    }
    return taken
  }

  /** All units that the model knows have a vector: the first without one is in another language. */
  async function noteForeign(project: string) {
    if (looked.has(project)) return
    const language = (await index.unembedded(project, embedder.name, 1)).units[0]?.language ?? null
    if (language === null) return
    looked.add(project)
    tellForeign?.(project, language)
  }

  function setAside(project: string, units: Unit[]) {
    const [first] = units
    if (first === undefined) return
    const text = `the text of ${first.url}, which is found by its words alone`
    if (refused.size === 0) report(new Error(`the embedding model refuses ${text}`))
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

  /** One batch of each project; answers the milliseconds to wait before the next round. */
  async function round(signal: AbortSignal): Promise<number> {
    let [total, waiting] = [0, 0]
    const counted = { all: 0, known: 0 }
    let refused: unknown = null
    const projects = await index.projects()
    // Before sections are embedded, so that a model that is to be replaced embeds none after a restart.
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
      } catch (error) {
        // What the endpoint fails at fails for all; what the index does not take is of this project.
        if (error instanceof ModelError) throw error
        refused ??= error
      }
    }
    if (refused !== null) throw refused
    counts = counted
    tellShare?.(total, waiting)
    return waiting > 0 ? 0 : idlePause
  }

  /** Milliseconds to wait. */
  function afterFailure(error: unknown): number {
    if (isNotReady(error)) return idlePause
    batch = Math.max(1, batch >> 1)
    if (failures === 0) report(error)
    failures += 1
    return Math.min(maxPause, firstPause * 2 ** (failures - 1))
  }

  return {
    /** Works until the signal's abort; never rejects. */
    async run(signal: AbortSignal): Promise<void> {
      const kept = new Date(now().getTime() - keptDays * 86_400_000).toISOString()
      await vectors.prune(kept).catch(report)
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

    async progress(project: string): Promise<EmbeddingProgress> {
      const aside = refused.get(project) ?? new Set()
      const limit = Math.min(maxUnits, aside.size)
      const { total, waiting, units } = await index.unembedded(
        project,
        embedder.name,
        limit,
        embedder.languages,
      )
      const left = units.filter(({ id }) => aside.has(id)).length
      return { model: embedder.name, total, done: total - waiting, refused: left }
    },
  }
}

const rest = (milliseconds: number, signal: AbortSignal) => delay(milliseconds, undefined, { signal })

/** Milliseconds; when a process dies, another takes over its project after that time at the latest. */
const leaseMs = 20_000

/**
 * Answers whether this process is to embed the project now: the first one to count in a window holds the lease until the window
 * ends. A batch that takes longer may be embedded twice, which does no harm.
 */
export function createEmbeddingLease(
  limits: Pick<LimitStore, 'hit'>,
  now: () => number,
): (project: string) => Promise<boolean> {
  /** By project; asked for again when it has ended. */
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

/** Call the result often, with the number of sections of all projects and of those that wait. `now`: in milliseconds. */
export function createShareLog(now: () => number, tell: (line: string) => void) {
  let last: { at: number; waiting: number } | null = null
  let isTold = false

  return (total: number, waiting: number) => {
    if (waiting === 0) {
      if (isTold) tell(`all ${total} sections are embedded`)
      last = null
      isTold = false
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
    isTold = true
  }
}
