// From the settings to the model and the embedder.
import type { EmbeddingsConfig, LlmConfig } from './config.ts'
import { createAnthropicModel } from './model/anthropic-model.ts'
import { createCallingEmbedder, type EmbedCall } from './model/local/embed-call.ts'
import type { Embedder, Model } from './model/model.ts'
import { createOpenaiEmbedder } from './model/openai-embedder.ts'
import { createOpenaiModel } from './model/openai-model.ts'

/** Seconds that a batch of 64 texts may take: a small machine embeds some ten a second. */
const embeddingTimeout = 60

/** The provider that the settings name; `extractive` without one. */
export function createModel(config: LlmConfig | null, extractive: Model): Model {
  if (config === null) return extractive
  return config.provider === 'anthropic' ? createAnthropicModel(config) : createOpenaiModel(config)
}

/** Null where embeddings are off. `local` is called for vectors of a model of this process. */
export function createEmbedder(config: EmbeddingsConfig | null, local: EmbedCall): Embedder | null {
  if (!config) return null
  if (!('local' in config)) return createOpenaiEmbedder({ ...config, timeout: embeddingTimeout })
  return createCallingEmbedder(config.local, local)
}
