// Keeps a project's vocabulary in step with its index.
import type { SearchIndex } from '../services/index/search-index.ts'
import { encodeVocabulary } from '../services/search/vocabulary.ts'
import type { Run } from '../services/store/run.ts'
import type { Store } from '../services/store/store.ts'

/** Between two refreshes during a run, in milliseconds. */
const refreshInterval = 5_000
/** Share of a run's time that refreshing may take: a large index, whose terms take long to count, is refreshed less often. */
const maxShare = 0.1

export interface VocabularyKeeper {
  /** Units became current: their terms are counted soon, in the background of the run. */
  changed(): void
  /** Counts the terms of the index and writes them. */
  refresh(): Promise<void>
  /** Resolves when nothing is being counted any more. */
  settle(): Promise<void>
  /** Ends a run: counts once more, unless it changed nothing and the run before it was counted. */
  finish(run: Run): Promise<void>
}

export function createVocabularyKeeper(
  { store, index }: { store: Store; index: SearchIndex },
  project: string,
  now: () => Date,
): VocabularyKeeper {
  let dueAt = now().getTime() + refreshInterval
  let work = Promise.resolve()

  async function write() {
    const startedAt = now().getTime()
    await store.vocabulary.write(project, encodeVocabulary(await index.vocabulary(project)))
    const endedAt = now().getTime()
    dueAt = endedAt + Math.max(refreshInterval, (endedAt - startedAt) / maxShare)
  }

  /** One after the other; after a failure nothing more is done, and each later call fails with it. */
  function refresh(): Promise<void> {
    dueAt = Number.POSITIVE_INFINITY
    work = work.then(write)
    work.catch(() => {})
    return work
  }

  return {
    refresh,

    changed() {
      if (now().getTime() >= dueAt) refresh()
    },

    settle: () => work,

    async finish(run) {
      const { rows } = await store.runs.list(project, { limit: 2, offset: 0 })
      const before = rows.find(({ uuid }) => uuid !== run.uuid)
      const pages = rows.find(({ uuid }) => uuid === run.uuid)?.pages
      const isChanged = pages !== undefined && pages.added + pages.updated + pages.removed > 0
      // A run that was interrupted after it had published may have ended before it counted.
      const wasInterrupted = run.startedAt !== null || (before && before.status !== 'completed')
      const isMissing = async () => (await store.vocabulary.version(project)) === 0
      if (isChanged || wasInterrupted || (await isMissing())) await refresh()
      else await work
    },
  }
}
