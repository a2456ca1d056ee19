// The embed thread from its owner's side: vectors of texts by the model of this process, and of sections in the background.
import '../model/local/no-telemetry.ts'
import type { Backends, EmbeddingsConfig } from '../config.ts'
import { isAway } from '../errors.ts'
import type { EmbedCall } from '../model/local/embed-call.ts'
import { threadKinds } from '../thread/kinds.ts'
import { createThread, type Log } from '../thread/thread.ts'
import type { EmbeddingProgress } from './embedding.ts'

/** What the thread serves. A type, so that it fits what a thread may serve. */
export type EmbeddingApi = {
  /** By the model of this process; `loading` where there is none. */
  embed: EmbedCall
  /** How far the project's units, by UUID, have vectors; null where it is not this thread that gives them. */
  progress(project: string): Promise<EmbeddingProgress | null>
  close(): Promise<void>
}

export interface EmbeddingThreadSettings {
  /** Where sections are that the thread is to give vectors; null: it is another process that does. */
  backends: Backends | null
  embeddings: EmbeddingsConfig
}

/** As EmbeddingApi; without a model, and without progress, also while the thread is being started anew. */
export interface EmbeddingClient extends EmbeddingApi {
  /**
   * Starts the thread, which works by itself from then on; none where there is nothing for it to do. It is not waited for: what
   * keeps it from starting keeps nobody from searching by words.
   */
  start(): void
}

const off: EmbeddingClient = {
  start() {},
  embed: async () => ({ fault: 'loading' }),
  progress: async () => null,
  close: async () => {},
}

export function createEmbeddingClient(
  { backends, embeddings }: { backends: Backends | null; embeddings: EmbeddingsConfig | null },
  log: Log,
  report: (error: unknown) => void,
): EmbeddingClient {
  if (embeddings === null || (backends === null && !('local' in embeddings))) return off
  const workerData: EmbeddingThreadSettings = { backends, embeddings }
  const thread = createThread<EmbeddingApi>({
    ...threadKinds.embed,
    entry: new URL('./embedding-thread.ts', import.meta.url),
    ...{ workerData, log, report },
  })
  return {
    start() {
      // What stops it is reported, and it is tried again.
      thread.start().catch(() => {})
    },
    embed: (kind, texts) =>
      thread.api.embed(kind, texts).catch((error) => {
        if (!isAway(error)) report(error)
        return { fault: 'loading' }
      }),
    progress: (project) => thread.api.progress(project).catch(() => null),
    close: thread.close,
  }
}
