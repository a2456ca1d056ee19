// Updates a project's vocabulary when its index changes.
import type { SearchIndex } from '../services/index/search-index.ts'
import { encodeVocabulary } from '../services/search/vocabulary.ts'
import type { Run } from '../services/store/run.ts'
import type { Store } from '../services/store/store.ts'

/** Milliseconds between two refreshes during a run. */
const refreshInterval = 5_000
/** Maximum share of a run's time for refreshing: a large index is slow to count, so it is refreshed less often. */
const maxShare = 0.1

export type VocabularyKeeper = ReturnType<typeof createVocabularyKeeper>

export function createVocabularyKeeper(
  { store, index }: { store: Store; index: SearchIndex },
  project: string,
  now: () => Date,
) {
  let dueAt = now().getTime() + refreshInterval
  let work = Promise.resolve()

  async function write() {
    const startedAt = now().getTime()
    await store.vocabulary.write(project, encodeVocabulary(await index.vocabulary(project)))
    const endedAt = now().getTime()
    dueAt = endedAt + Math.max(refreshInterval, (endedAt - startedAt) / maxShare)
  }

  /** Counts the terms of the index and writes them. Refreshes in sequence. After a failure, every later call rejects with it. */
  function refresh(): Promise<void> {
    dueAt = Number.POSITIVE_INFINITY
    work = work.then(write)
    work.catch(() => {})
    return work
  }

  return {
    refresh,

    /** Units became current. Schedules a refresh in the background. */
    changed() {
      if (now().getTime() >= dueAt) refresh()
    },

    /** Resolves when no refresh is pending. */
    settle: () => work,

    /** Called at the end of a run. Refreshes, unless the run changed nothing and the last run was counted. */
    async finish(run: Run) {
      const { rows } = await store.runs.list(project, { limit: 2, offset: 0 })
      const before = rows.find(({ uuid }) => uuid !== run.uuid)
      const pages = rows.find(({ uuid }) => uuid === run.uuid)?.pages
      const isChanged = pages !== undefined && pages.added + pages.updated + pages.removed > 0
      // An interrupted run may have published pages without a refresh.
      const wasInterrupted = run.startedAt !== null || (before && before.status !== 'completed')
      const isMissing = async () => (await store.vocabulary.version(project)) === 0
      if (isChanged || wasInterrupted || (await isMissing())) await refresh()
      else await work
    },
  }
}
