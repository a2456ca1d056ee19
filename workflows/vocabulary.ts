// Keeps a project's vocabulary in step with what a run publishes.
import type { Unit } from '../services/index/search-index.ts'
import {
  openVocabularyWriter,
  rebuildVocabulary,
  type VocabularyWriter,
} from '../services/search/vocabulary-writer.ts'
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

/** The stored vocabulary is read when the first terms come: a run that changes nothing never reads it. */
export function createVocabularyKeeper(store: Store, project: string, now: () => Date): VocabularyKeeper {
  let writer: Promise<VocabularyWriter> | null = null
  let flushedAt = now().getTime()
  let work = Promise.resolve()

  /** One after the other; after a failure nothing more is done, and each later call fails with it. */
  function inTurn(act: (writer: VocabularyWriter) => void | Promise<void>): Promise<void> {
    writer ??= openVocabularyWriter(store, project)
    const opened = writer
    work = work.then(async () => act(await opened))
    // Whoever waits hears of a failure: `flush` and `finish` do.
    work.catch(() => {})
    return work
  }

  const flush = () => inTurn((opened) => opened.flush())

  return {
    flush,

    add(units) {
      inTurn((opened) => opened.add(units))
      if (now().getTime() - flushedAt < flushEvery) return
      flushedAt = now().getTime()
      flush()
    },

    async finish(run) {
      const counts = (await store.runs.get(run.project, run.uuid))?.pages
      const gone = (counts?.updated ?? 0) + (counts?.removed ?? 0)
      if (gone > staleShare * (await store.pages.count(project))) await rebuildVocabulary(store, project)
      else if (writer !== null) await flush()
    },
  }
}
