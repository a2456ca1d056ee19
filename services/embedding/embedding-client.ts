// The embedding thread from its callers' side: one that died is started again.
import type { Backends, EmbeddingsConfig } from '../config.ts'
import type { EmbedCall } from '../model/local/embed-call.ts'
import { heartbeatTimeouts } from '../thread/heartbeat.ts'
import { type Log, openSupervisedThread } from '../thread/thread.ts'
import type { EmbeddingProgress } from './embedding.ts'

/** What the thread serves. A type, so that it fits what a thread may serve. */
export type EmbeddingApi = {
  /** How far the project's units, by UUID, have vectors. */
  progress(project: string): Promise<EmbeddingProgress>
  close(): Promise<void>
}

export interface EmbeddingThreadSettings {
  backends: Backends
  embeddings: EmbeddingsConfig
}

export interface Embedding {
  /** Null where embeddings are off, and while its thread is being started anew. */
  progress(project: string): Promise<EmbeddingProgress | null>
  close(): Promise<void>
}

const entry = new URL('./embedding-thread.ts', import.meta.url)

/** Starts the thread, which works by itself from then on; none where embeddings are off. `embed` gives vectors of the model of this process. */
export async function openEmbedding(
  backends: Backends,
  embeddings: EmbeddingsConfig | null,
  embed: EmbedCall,
  log: Log,
  report: (error: unknown) => void,
): Promise<Embedding> {
  if (!embeddings) return { progress: async () => null, close: async () => {} }
  const workerData: EmbeddingThreadSettings = { backends, embeddings }
  const thread = await openSupervisedThread<EmbeddingApi>({
    entry,
    workerData,
    heartbeatTimeout: heartbeatTimeouts.embedding,
    log,
    report,
    serves: { embed },
  })
  return {
    progress: (project) => thread.api.progress(project).catch(() => null),
    close: () => thread.close((api) => api.close()),
  }
}
