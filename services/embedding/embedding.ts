// Gives every unit of the index a vector, in the background: what waits is asked of the index, so that a start after a
// kill goes on where it was, and nothing is to be told of new pages. An endpoint that fails is asked again, ever later.
import { setTimeout as delay } from 'node:timers/promises'
import { hashText, toEmbeddedText } from '../index/embedded-text.ts'
import type { SearchIndex, Unit } from '../index/search-index.ts'
import { type Embedder, ModelError } from '../model/model.ts'
import type { VectorStore } from '../store/vector.ts'

const mostTexts = 64
/** Milliseconds between two looks for units that wait. */
const idlePause = 2_000
const firstPause = 1_000
const longestPause = 60_000
/** Vectors that were not asked for in so many days are made anew when they are. */
const keptDays = 90

export interface EmbeddingProgress {
  model: string
  /** Units in the project's index, and how many of them have a vector. */
  total: number
  done: number
}

export interface EmbeddingDeps {
  index: Pick<SearchIndex, 'projects' | 'unembedded' | 'setVectors'>
  vectors: VectorStore
  embedder: Embedder
  now(): Date
  /** Told once of a row of failures. */
  report(error: unknown): void
  pause?(milliseconds: number, signal: AbortSignal): Promise<unknown>
}

export function createEmbedding({ index, vectors, embedder, now, report, pause = rest }: EmbeddingDeps) {
  /** Halved when a request fails, for endpoints that are slow or take few texts at once; doubled when one succeeds. */
  let batch = mostTexts
  let failures = 0

  async function vectorsOf(units: Unit[], signal: AbortSignal): Promise<Float32Array[]> {
    const texts = units.map(toEmbeddedText)
    const hashes = texts.map(hashText)
    const at = now().toISOString()
    const known = await vectors.read(embedder.name, hashes, at)
    const made = new Map<string, Float32Array | null>(hashes.map((hash, n) => [hash, known[n]!]))
    const textOf = new Map(hashes.map((hash, n) => [hash, texts[n]!]))
    const missing = [...made].filter(([, vector]) => vector === null).map(([hash]) => hash)
    if (missing.length > 0) {
      const answered = await embedder.embed(
        'passage',
        missing.map((hash) => textOf.get(hash)!),
        signal,
      )
      const kept = missing.map((hash, n) => ({ hash, vector: answered[n]! }))
      for (const { hash, vector } of kept) made.set(hash, vector)
      await vectors.write(embedder.name, kept, at)
    }
    return hashes.map((hash) => made.get(hash)!)
  }

  /** Embeds a batch of the project's units; false when none waits. */
  async function embedSome(project: string, signal: AbortSignal): Promise<boolean> {
    const { units } = await index.unembedded(project, embedder.name, batch)
    if (units.length === 0) return false
    const made = await vectorsOf(units, signal)
    await index.setVectors(
      project,
      embedder.name,
      units.map(({ id }, n) => ({ unit: id, vector: made[n]! })),
    )
    return true
  }

  /** A batch of every project in turn; answers the milliseconds to wait before the next round. */
  async function round(signal: AbortSignal): Promise<number> {
    let found = false
    let refused: unknown = null
    for (const project of await index.projects()) {
      if (signal.aborted) return 0
      try {
        if (await embedSome(project, signal)) found = true
      } catch (error) {
        // What the endpoint fails at fails for all; what the index does not take is of this project.
        if (error instanceof ModelError) throw error
        refused ??= error
      }
    }
    if (refused !== null) throw refused
    return found ? 0 : idlePause
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
          batch = Math.min(mostTexts, 2 * batch)
          failures = 0
        } catch (error) {
          if (signal.aborted) return
          batch = Math.max(1, batch >> 1)
          if (failures === 0) report(error)
          wait = Math.min(longestPause, firstPause * 2 ** failures)
          failures += 1
        }
        if (wait > 0) await pause(wait, signal).catch(() => {})
      }
    },

    async progress(project: string): Promise<EmbeddingProgress> {
      const { total, waiting } = await index.unembedded(project, embedder.name, 0)
      return { model: embedder.name, total, done: total - waiting }
    },
  }
}

const rest = (milliseconds: number, signal: AbortSignal) => delay(milliseconds, undefined, { signal })
