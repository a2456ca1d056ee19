// The vocabularies of projects on the searching side, kept fresh without a query ever waiting for it.
import { LRUCache } from 'lru-cache'
import type { VocabularyStore } from '../store/vocabulary.ts'
import { emptyVocabulary, type Vocabulary } from './vocabulary.ts'
import { decodeVocabulary } from './vocabulary-format.ts'

/** A newer vocabulary is looked for at most this often, in milliseconds. */
const checkedEvery = 250
const keptProjects = 50

interface Kept {
  version: number
  vocabulary: Vocabulary
  checkedAt: number
}

/** `now`: milliseconds. Only the first query of a project waits for its vocabulary. */
export function createVocabularies(store: VocabularyStore, now: () => number) {
  const kept = new LRUCache<string, Kept>({ max: keptProjects })

  async function load(project: string): Promise<Kept> {
    const stored = await store.read(project)
    const vocabulary = stored === null ? emptyVocabulary : decodeVocabulary(stored.terms)
    const loaded = { version: stored?.version ?? 0, vocabulary, checkedAt: now() }
    kept.set(project, loaded)
    return loaded
  }

  async function refresh(project: string, known: Kept) {
    if ((await store.version(project)) !== known.version) await load(project)
  }

  return {
    async of(project: string): Promise<Vocabulary> {
      const known = kept.get(project)
      if (known === undefined) return (await load(project)).vocabulary
      if (now() - known.checkedAt >= checkedEvery) {
        known.checkedAt = now()
        // After the answer: the next query has the newer one. A failure is met again by the next check.
        setImmediate(() => refresh(project, known).catch(() => {}))
      }
      return known.vocabulary
    },
  }
}
