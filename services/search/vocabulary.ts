// The terms of a project with their counts, in memory, for completion and correction.
import { constants, deflateRawSync, inflateRawSync } from 'node:zlib'
import { LRUCache } from 'lru-cache'
import type { Vocabulary } from '../index/search-index.ts'
import type { VocabularyStore } from '../store/project.ts'

export type { Vocabulary }

export const emptyVocabulary: Vocabulary = {
  units: 0,
  terms: [],
  counts: new Uint32Array(0),
  inHeadings: new Uint32Array(0),
}

/** Index of the first term not before `term`. */
export function findPlace(terms: string[], term: string): number {
  let low = 0
  let high = terms.length
  while (low < high) {
    const middle = (low + high) >> 1
    if (terms[middle]! < term) low = middle + 1
    else high = middle
  }
  return low
}

/** Index of the first term after all that start with `prefix`. */
export function findEnd(terms: string[], prefix: string): number {
  return findPlace(terms, `${prefix}\uffff`)
}

/** Number of units that contain the term; 0 if unknown. */
export function readCount({ terms, counts }: Vocabulary, term: string): number {
  const place = findPlace(terms, term)
  return terms[place] === term ? counts[place]! : 0
}

/** How likely a reader means the term: by the number of headings with it, then the number of units. */
export function readWeight({ counts, inHeadings }: Vocabulary, place: number): number {
  return 4 * Math.log2(1 + inHeadings[place]!) + Math.log2(1 + counts[place]!)
}

/**
 * The `limit` most likely terms that start with `prefix`, which is folded and not empty. Longer terms are slightly less
 * likely.
 */
export function complete(vocabulary: Vocabulary, prefix: string, limit: number): string[] {
  const { terms } = vocabulary
  const end = findEnd(terms, prefix)
  const best: { term: string; weight: number }[] = []
  for (let place = findPlace(terms, prefix); place < end; place++) {
    const term = terms[place]!
    const weight = readWeight(vocabulary, place) - 0.3 * (term.length - prefix.length)
    if (best.length === limit && weight <= best[limit - 1]!.weight) continue
    let at = best.length
    while (at > 0 && best[at - 1]!.weight < weight) at--
    best.splice(at, 0, { term, weight })
    if (best.length > limit) best.pop()
  }
  return best.map(({ term }) => term)
}

/** Minimum milliseconds between checks for a newer vocabulary. */
const checkInterval = 250
const maxProjects = 50

/**
 * Caches the vocabularies of projects. Only the first query of a project waits for its vocabulary; newer ones are loaded in the
 * background. `now`: milliseconds.
 */
export function createVocabularies(store: VocabularyStore, now: () => number) {
  const loaded = new LRUCache<string, { version: number; vocabulary: Vocabulary; checkedAt: number }>({
    max: maxProjects,
  })

  async function load(project: string): Promise<Vocabulary> {
    const stored = await store.read(project)
    const vocabulary = stored === null ? emptyVocabulary : decodeVocabulary(stored.terms)
    loaded.set(project, { version: stored?.version ?? 0, vocabulary, checkedAt: now() })
    return vocabulary
  }

  async function refresh(project: string, version: number) {
    if ((await store.version(project)) !== version) await load(project)
  }

  return {
    async of(project: string): Promise<Vocabulary> {
      const entry = loaded.get(project)
      if (entry === undefined) return load(project)
      if (now() - entry.checkedAt >= checkInterval) {
        entry.checkedAt = now()
        // Runs after the response. A failure is retried by the next check.
        setImmediate(() => refresh(project, entry.version).catch(() => {}))
      }
      return entry.vocabulary
    },
  }
}

/** Encodes a vocabulary for the store: compressed JSON. */
export function encodeVocabulary({ units, terms, counts, inHeadings }: Vocabulary): Uint8Array {
  const json = JSON.stringify({ units, terms, counts: [...counts], inHeadings: [...inHeadings] })
  return deflateRawSync(json, { level: constants.Z_BEST_SPEED })
}

export function decodeVocabulary(encoded: Uint8Array): Vocabulary {
  const { units, terms, counts, inHeadings } = JSON.parse(inflateRawSync(encoded).toString())
  return { units, terms, counts: Uint32Array.from(counts), inHeadings: Uint32Array.from(inHeadings) }
}
