// How near texts are in meaning to other texts, within the little time that an answer waits for it.
import { type Embedder, isNotReady, type TextKind } from '../model/model.ts'

/** Milliseconds. */
const timeout = 2_000
/** Texts that are embedded together: the first ones count even where there is no time for all. */
const batch = 16

interface TextPair {
  text: string
  others: string[]
}

/**
 * Cosines, from -1 to 1, of each pair's text to its others, from the first one on: of those for which there was time. Null
 * without an embedder, or where it fails or has too many calls.
 */
export type Similarities = (pairs: TextPair[]) => Promise<number[][] | null>

interface SimilarityDeps {
  embedder: Embedder | null
  report(error: unknown): void
}

/**
 *   [{ text: 'a', others: ['a', 'b'] }, { text: 'c', others: [] }] → [[1, .3], []]
 */
export function createSimilarities({ embedder, report }: SimilarityDeps): Similarities {
  /** Each text once, however often it stands in the pairs. */
  async function embed(
    from: Embedder,
    kind: TextKind,
    texts: string[],
    signal: AbortSignal,
  ): Promise<Map<string, Float32Array>> {
    const distinct = [...new Set(texts)]
    const vectors = new Map<string, Float32Array>()
    for (let at = 0; at < distinct.length; at += batch) {
      const asked = distinct.slice(at, at + batch)
      try {
        for (const [n, vector] of (await from.embed(kind, asked, signal)).entries())
          vectors.set(asked[n]!, vector)
      } catch (error) {
        if (!signal.aborted) throw error
        return vectors
      }
    }
    return vectors
  }

  return async (pairs) => {
    if (embedder === null) return null
    const signal = AbortSignal.timeout(timeout)
    const asked = pairs.filter(({ others }) => others.length > 0)
    try {
      const texts = await embed(
        embedder,
        'question',
        asked.map(({ text }) => text),
        signal,
      )
      const others = await embed(
        embedder,
        'passage',
        asked.flatMap((pair) => pair.others),
        signal,
      )
      return pairs.map((pair) => {
        const missing = pair.others.findIndex((other) => !others.has(other))
        const known = texts.has(pair.text) ? pair.others.slice(0, missing < 0 ? undefined : missing) : []
        return known.map((other) => cosine(texts.get(pair.text)!, others.get(other)!))
      })
    } catch (error) {
      if (!isNotReady(error)) report(error)
      return null
    }
  }
}

/** Of vectors of length 1. */
function cosine(one: Float32Array, other: Float32Array): number {
  return one.reduce((sum, value, n) => sum + value * other[n]!, 0)
}
