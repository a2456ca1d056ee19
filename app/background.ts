// Work that nobody waits for: vectors for what was crawled, and erasing chats past their time. Where several processes do
// it, nothing is done wrong; the roles `all` and `worker` do.

import { openRetention } from '../services/chat/retention.ts'
import { type Config, toBackends } from '../services/config.ts'
import { type Embedding, openEmbedding } from '../services/embedding/embedding-client.ts'
import type { EmbedCall } from '../services/model/local/embed-call.ts'
import type { Store } from '../services/store/store.ts'
import type { Log } from '../services/thread/thread.ts'

export async function openBackground(
  config: Config,
  store: Store,
  embed: EmbedCall,
  log: Log,
  report: (error: unknown) => void,
): Promise<Embedding> {
  const embedding = await openEmbedding(toBackends(config), config.embeddings, embed, log, report)
  const retention = openRetention({ store, now: () => new Date(), report })
  return {
    progress: embedding.progress,
    async close() {
      await retention.close()
      await embedding.close()
    },
  }
}
