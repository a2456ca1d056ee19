// Creates the model and the embedder from the settings.
import type { EmbeddingsConfig, LlmConfig } from './config.ts'
import { createAnthropicModel } from './model/anthropic-model.ts'
import { createCallingEmbedder, type EmbedCall } from './model/local/embed-call.ts'
import type { Embedder, Model } from './model/model.ts'
import { createOpenaiEmbedder } from './model/openai-embedder.ts'
import { createOpenaiModel } from './model/openai-model.ts'

/** Timeout in seconds for a batch of 64 texts. A small machine embeds about ten a second. */
const embeddingTimeout = 60

export function createModel(config: LlmConfig): Model {
  return config.provider === 'anthropic' ? createAnthropicModel(config) : createOpenaiModel(config)
}

/** Null if embeddings are off. `local` calls the model in this process. */
export function createEmbedder(config: EmbeddingsConfig | null, local: EmbedCall): Embedder | null {
  if (!config) return null
  if (!('local' in config)) return createOpenaiEmbedder({ ...config, timeout: embeddingTimeout })
  return createCallingEmbedder(config.local, local)
}
