// From the settings to the model and the embedder. Drivers are loaded when they are chosen: their clients are large.
import type { EmbeddingsConfig, LlmConfig } from './config.ts'
import { createCallingEmbedder, type EmbedCall } from './model/local/embed-call.ts'
import { localModels } from './model/local/models.ts'
import type { Embedder, Model } from './model/model.ts'

/** Seconds that a batch of 64 texts may take: a small machine embeds some ten a second. */
const embeddingTimeout = 60

const drivers: Record<LlmConfig['provider'], (config: LlmConfig) => Promise<Model>> = {
  openai: openOpenai,
  'openai-compatible': openOpenai,
  async anthropic(config) {
    const { createAnthropicModel } = await import('./model/anthropic-model.ts')
    return createAnthropicModel({ ...config, key: config.key! })
  },
}

/** The provider that the settings name; `extractive` without one. */
export async function openModel(config: LlmConfig | null, extractive: Model): Promise<Model> {
  return config ? drivers[config.provider](config) : extractive
}

/** Null where embeddings are off. `local` is called for vectors of a model of this process. */
export async function openEmbedder(
  config: EmbeddingsConfig | null,
  local: EmbedCall,
): Promise<Embedder | null> {
  if (!config) return null
  if ('local' in config) {
    const { name, languages } = localModels.find((model) => model.name === config.local)!
    return createCallingEmbedder(`local:${name}`, languages, local)
  }
  const { createOpenaiEmbedder } = await import('./model/openai-embedder.ts')
  return createOpenaiEmbedder({ ...config, timeout: embeddingTimeout })
}

async function openOpenai(config: LlmConfig): Promise<Model> {
  const { createOpenaiModel } = await import('./model/openai-model.ts')
  return createOpenaiModel({
    ...config,
    provider: config.provider === 'openai' ? 'openai' : 'openai-compatible',
  })
}
