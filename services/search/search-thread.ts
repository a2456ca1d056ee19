// Entry of the search thread, with its own store and index handles.
import { workerData } from 'node:worker_threads'
import { createEmbedder } from '../create-model.ts'
import { openIndex, openStore } from '../drivers.ts'
import { detectLanguages } from '../index/detected-language.ts'
import { askOwner, reportFromThread, serveThread } from '../thread/thread.ts'
import { createQuestionVectors } from './meaning.ts'
import { createPageSections } from './page-sections.ts'
import { createSearch } from './search.ts'
import type { IndexTotals, SearchApi, SearchThreadSettings } from './search-client.ts'

const { backends, embeddings } = workerData as SearchThreadSettings
const store = await openStore(backends)
const index = await openIndex(backends)
const embedder = createEmbedder(embeddings, (...call) => askOwner('embed', ...call))
const questionVectors = createQuestionVectors({ embedder, now: Date.now, report: reportFromThread })
const { search, passages } = createSearch({ store, index, questionVectors })

serveThread('search', {
  search,
  passages,
  async progress(project) {
    if (embedder === null) return null
    const { total, waiting } = await index.unembedded(project, embedder.name, 0, embedder.languages)
    return { model: embedder.name, total, done: total - waiting, refused: 0 }
  },
  ...createPageSections({ store, index, questionVectors }),
  async totals() {
    const totals: IndexTotals = { sections: 0, embedding: embedder && { done: 0, waiting: 0 } }
    for (const project of await index.projects()) {
      const { name = '', languages } = embedder ?? {}
      const { all, total, waiting } = await index.unembedded(project, name, 0, languages)
      totals.sections += all
      if (totals.embedding === null) continue
      totals.embedding.done += total - waiting
      totals.embedding.waiting += waiting
    }
    return totals
  },
  ping: () => index.ping(),
  languages: detectLanguages,
  async close() {
    await index.close()
    await store.close()
  },
} satisfies SearchApi)
