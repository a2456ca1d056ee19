// Entry of the embedding thread: sections are given vectors here, with a store and an index handle of their own.
import { setPriority } from 'node:os'
import { workerData } from 'node:worker_threads'
import { openIndex, openStore } from '../drivers.ts'
import { toBareLanguage } from '../index/language.ts'
import { modelFor } from '../model/local/models.ts'
import { openEmbedder } from '../model/open-model.ts'
import { askOwner, ownersLog, reportFromThread, serveThread } from '../thread/thread.ts'
import { createEmbedding } from './embedding.ts'
import type { EmbeddingApi, EmbeddingThreadSettings } from './embedding-client.ts'
import { createEmbeddingLease } from './lease.ts'

// On Linux the priority is the thread's own: readers' requests go before what runs in the background.
if (process.platform === 'linux') setPriority(3)

const { backends, embeddings } = workerData as EmbeddingThreadSettings
const store = await openStore(backends, 'work')
const index = await openIndex(backends)
const { run, progress } = createEmbedding({
  index,
  vectors: store.vectors,
  embedder: (await openEmbedder(embeddings, (...call) => askOwner('embed', ...call)))!,
  now: () => new Date(),
  report: reportFromThread,
  tellForeign(project, language) {
    const other = modelFor(language)
    ownersLog.warn(
      `project ${project} is mostly in "${toBareLanguage(language)}", which the embedding model does not know: it is searched by words` +
        (other ? `; LECTERN_EMBEDDINGS_MODEL=${other.name} would serve it` : ''),
    )
  },
  // A store of this process alone is nobody else's, and a start after a kill need not wait.
  ...(backends.mongodb && { isOurs: createEmbeddingLease(store.limits, Date.now) }),
})
const closing = new AbortController()
const work = run(closing.signal)

serveThread({
  progress,
  async close() {
    closing.abort()
    await work
    await index.close()
    await store.close()
  },
} satisfies EmbeddingApi)
