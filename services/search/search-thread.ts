// Entry of the search thread, with its own store and index handles.
import { workerData } from 'node:worker_threads'
import { createEmbedder } from '../create-model.ts'
import { openIndex, openStore } from '../drivers.ts'
import { countEmbedded } from '../embedding/embedding.ts'
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
    return { ...(await countEmbedded(index, project, embedder.name, embedder.languages)).share, refused: 0 }
  },
  ...createPageSections({ store, index, questionVectors }),
  async totals() {
    const totals: IndexTotals = { sections: 0, embedding: embedder && { done: 0, waiting: 0 } }
    for (const project of await index.projects()) {
      const { all, share } = await countEmbedded(index, project, embedder?.name ?? '', embedder?.languages)
      totals.sections += all
      if (totals.embedding === null) continue
      totals.embedding.done += share.done
      totals.embedding.waiting += share.total - share.done
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
