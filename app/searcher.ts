// Searching, from when the index has answered for the first time. With the embedded index that is at once; a server may
// come later than the core: until then searches are refused as `unavailable`, and all else works.
import { type Config, toBackends } from '../services/config.ts'
import { openIndex } from '../services/drivers.ts'
import type { EmbeddingProgress } from '../services/embedding/embedding.ts'
import type { SearchIndex } from '../services/index/search-index.ts'
import type { EmbedCall } from '../services/model/local/embed-call.ts'
import { openEmbedder } from '../services/model/open-model.ts'
import { createSearchClient, type SearchClient } from '../services/search/search-client.ts'
import { createSimilarities, type Similarities } from '../services/search/similarities.ts'
import type { Availability } from './availability.ts'
import type { Server } from './servers.ts'

export interface Searcher extends Omit<SearchClient, 'open'> {
  /** Resolves when it searches; rejects with what keeps it from that other than a server that is away. */
  opened: Promise<unknown>
  similarities: Similarities
  /** How far the project's units have vectors; null where embeddings are off, and while the index is away. */
  progress(project: string): Promise<EmbeddingProgress | null>
}

export interface SearcherOptions {
  config: Config
  /** Null: the index is embedded. */
  server: Server | null
  availability: Availability
  /** Gives vectors of the model of this process. */
  embed: EmbedCall
  report(error: unknown): void
}

/** With an embedded index, resolves when it searches; with a server at once. */
export async function openSearcher({
  config,
  server,
  availability,
  embed,
  report,
}: SearcherOptions): Promise<Searcher> {
  const settings = { backends: toBackends(config), embeddings: config.embeddings }
  const embedder = await openEmbedder(config.embeddings, embed)
  const client = createSearchClient(settings, report, { embed })
  let index: SearchIndex | null = null

  async function open() {
    if (server) index = await availability.retryUntilAvailable(server, () => openIndex(settings.backends))
    await client.open()
    if (server) availability.watch(server, client.ping)
  }

  const opened = open()
  if (server === null) await opened
  return {
    search: client.search,
    passages: client.passages,
    ping: client.ping,
    opened,
    similarities: createSimilarities({ embedder, report }),
    async progress(project) {
      if (index === null || embedder === null) return null
      const found = await index.unembedded(project, embedder.name, 0, embedder.languages).catch(() => null)
      return (
        found && { model: embedder.name, total: found.total, done: found.total - found.waiting, refused: 0 }
      )
    },
    async close() {
      await client.close()
      await index?.close()
    },
  }
}
