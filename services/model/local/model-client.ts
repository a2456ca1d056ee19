// The model thread from its callers' side: one that died is started again.
import type { EmbeddingsConfig, LocalEmbeddings } from '../../config.ts'
import { isAway } from '../../errors.ts'
import { heartbeatTimeouts } from '../../thread/heartbeat.ts'
import { type Log, openSupervisedThread } from '../../thread/thread.ts'
import type { EmbedCall } from './embed-call.ts'

/** What the thread serves. A type, so that it fits what a thread may serve. */
export type ModelApi = {
  embed: EmbedCall
  close(): Promise<void>
}

export type ModelThreadSettings = LocalEmbeddings

/** The embedding model of this process. */
export interface LocalModelThread {
  /** `loading` while its files are on their way, and while its thread is being started anew. */
  embed: EmbedCall
  close(): Promise<void>
}

const entry = new URL('model-thread.ts', import.meta.url)

/** Starts the thread, which gets the model by itself from then on; none where the settings want no model of this process. */
export async function openLocalModel(
  embeddings: EmbeddingsConfig | null,
  log: Log,
  report: (error: unknown) => void,
): Promise<LocalModelThread> {
  if (embeddings === null || !('local' in embeddings)) return { embed: loading, close: async () => {} }
  const workerData: ModelThreadSettings = embeddings
  const thread = await openSupervisedThread<ModelApi>({
    entry,
    workerData,
    heartbeatTimeout: heartbeatTimeouts.model,
    report,
    log,
  })
  return {
    embed: (kind, texts) =>
      thread.api.embed(kind, texts).catch((error) => {
        if (!isAway(error)) report(error)
        return { fault: 'loading' }
      }),
    close: () => thread.close((api) => api.close()),
  }
}

const loading: EmbedCall = async () => ({ fault: 'loading' })
