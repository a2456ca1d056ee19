// Keeps a project's vocabulary in step with what a run publishes.
import type { Unit } from '../services/index/search-index.ts'
import { openVocabularyWriter, rebuildVocabulary } from '../services/search/vocabulary-writer.ts'
import type { Run } from '../services/store/run.ts'
import type { Store } from '../services/store/store.ts'

/** New terms reach readers this often while a run goes on. */
const flushEvery = 5_000
/** Beyond this share of changed and removed pages, terms that are gone are worth a rebuild. */
const staleShare = 0.1

export interface VocabularyKeeper {
  /** Counts the terms of units that became current. */
  add(units: Unit[]): void
  /** Writes what was added. */
  flush(): Promise<void>
  /** Ends a run: writes what is left; at the end of a run that replaced or removed much, from all pages anew. */
  finish(run: Run): Promise<void>
}

export async function openVocabularyKeeper(
  store: Store,
  project: string,
  now: () => Date,
): Promise<VocabularyKeeper> {
  const writer = await openVocabularyWriter(store, project)
  let flushedAt = now().getTime()
  let changed = false
  let flushing = Promise.resolve()

  const flush = () => {
    flushing = flushing.then(() => writer.flush())
    return flushing
  }

  return {
    flush,

    add(units) {
      writer.add(units)
      changed = true
      if (now().getTime() - flushedAt < flushEvery) return
      flushedAt = now().getTime()
      // A failure comes out at `finish`, which waits for this write too.
      flush().catch(() => {})
    },

    async finish(run) {
      const counts = (await store.runs.get(run.project, run.uuid))?.pages
      const gone = (counts?.updated ?? 0) + (counts?.removed ?? 0)
      if (gone > staleShare * (await store.pages.count(project))) await rebuildVocabulary(store, project)
      else if (changed) await flush()
    },
  }
}
