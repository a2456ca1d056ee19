// Entry of the search thread: queries are answered here, with a store and an index handle of their own.
import { workerData } from 'node:worker_threads'
import { openIndex, openStore } from '../drivers.ts'
import { openEmbedder } from '../model/open-model.ts'
import { askOwner, reportFromThread, serveThread } from '../thread/thread.ts'
import { createQuestionVectors } from './question-vectors.ts'
import { createSearch } from './search.ts'
import type { SearchApi, SearchThreadSettings } from './search-client.ts'

const { backends, embeddings } = workerData as SearchThreadSettings
const store = await openStore(backends)
const index = await openIndex(backends)
const { search, passages } = createSearch({
  store,
  index,
  questionVectors: createQuestionVectors({
    embedder: await openEmbedder(embeddings, (...call) => askOwner('embed', ...call)),
    now: Date.now,
    report: reportFromThread,
  }),
})

serveThread({
  search,
  passages,
  ping: () => index.ping(),
  async close() {
    await index.close()
    await store.close()
  },
} satisfies SearchApi)
