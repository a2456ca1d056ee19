// Client of the embed thread, which runs the local model and embeds sections in the background.
import '../model/local/no-telemetry.ts'
import type { Backends, EmbeddingsConfig } from '../config.ts'
import { isAway } from '../errors.ts'
import type { EmbedCall } from '../model/local/embed-call.ts'
import { threadKinds } from '../thread/kinds.ts'
import { createThread, type Log } from '../thread/thread.ts'
import type { EmbeddingProgress } from './embedding.ts'

/** Functions of the thread. A type rather than an interface, as `createThread` requires. */
export type EmbeddingApi = {
  /** Calls the local model. Returns `loading` if there is none. */
  embed: EmbedCall
  /** Embedding progress of a project, by UUID. Null if this thread does not embed sections. */
  progress(project: string): Promise<EmbeddingProgress | null>
  close(): Promise<void>
}

export interface EmbeddingThreadSettings {
  /** Store and index of the sections to embed; null: another process embeds them. */
  backends: Backends | null
  embeddings: EmbeddingsConfig
}

/** As EmbeddingApi, but returns `loading` and null also while the thread restarts. */
export interface EmbeddingClient extends EmbeddingApi {
  /**
   * Starts the thread if it has work to do, without waiting for it: search by words does not depend on it. The thread then
   * embeds on its own.
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
      // The thread reports the error and restarts.
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
