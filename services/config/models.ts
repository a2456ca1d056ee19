// The variables of the language model and of embeddings. A partly set group is an error.
import { join, resolve } from 'node:path'
import { localModels } from '../model/local/models.ts'
import { ConfigError, keyForm, matching, oneOf, type ReadVariable, readBase, readText } from './variable.ts'

const llmProviders = ['openai-compatible', 'openai', 'anthropic'] as const

export type LlmConfig = NonNullable<ReturnType<typeof readLlm>>

export type EmbeddingsConfig = LocalEmbeddings | EmbeddingsEndpoint

/** A model that runs in the process. */
export interface LocalEmbeddings {
  /** A name from services/model/local/models.ts. */
  local: string
  /** Not set by the operator: another model replaces it if it does not support the languages of most sections. */
  isDefault?: true
  /** Absolute path of the folder with the model files. */
  folder: string
}

interface EmbeddingsEndpoint {
  /** Base address, without a trailing slash or `/embeddings`. */
  url: string
  model: string
  key: string | null
}

/** Variables that a provider requires. */
const needs: Record<(typeof llmProviders)[number], (keyof Endpoint)[]> = {
  'openai-compatible': ['URL', 'MODEL'],
  openai: ['MODEL', 'KEY'],
  anthropic: ['MODEL', 'KEY'],
}

/** Null if none of provider, address, model and key is set. Throws ConfigError. */
export function readLlm(read: ReadVariable) {
  const configured = read('LECTERN_LLM_PROVIDER', null, llmProviders.join(', '), oneOf(llmProviders))
  const provider = configured ?? 'openai-compatible'
  const call = /\/chat\/completions$|\/messages$/
  const endpoint = readEndpoint(read, 'LECTERN_LLM', call, provider === 'anthropic')
  const timeout = read<number, number>('LECTERN_LLM_TIMEOUT', 60, 'whole seconds from 1 to 3600', (text) =>
    /^[1-9]\d{0,3}$/.test(text) && Number(text) <= 3600 ? Number(text) : undefined,
  )
  const verify = read('LECTERN_LLM_VERIFY', 'off', 'on, off', oneOf(['on', 'off'])) === 'on'
  if (!configured && Object.values(endpoint).every((value) => value === null)) {
    if (verify)
      throw new ConfigError('LECTERN_LLM_VERIFY: got "on", takes off where no language model is set.')
    return null
  }
  const lacking = needs[provider].find((name) => !endpoint[name])
  if (lacking) throw read.missing(`LECTERN_LLM_${lacking}`, `the provider ${provider} requires it`)
  return {
    provider,
    url: endpoint.URL,
    model: endpoint.MODEL!,
    key: endpoint.KEY,
    timeout,
    /** Whether an additional call checks the citations of each answer. */
    verify,
  }
}

/**
 * Null if embeddings are off. Without an address, a model that runs in the process, with its files below `data` unless
 * LECTERN_MODELS names another folder. Throws ConfigError.
 */
export function readEmbeddings(read: ReadVariable, data: string): EmbeddingsConfig | null {
  const choice = read('LECTERN_EMBEDDINGS', null, 'local, off', oneOf(['local', 'off']))
  const folder = resolve(read('LECTERN_MODELS', join(data, 'models'), 'a folder', readText))
  const endpoint = readEndpoint(read, 'LECTERN_EMBEDDINGS', /\/embeddings$/, false)
  const { URL: url, MODEL: model, KEY: key } = endpoint
  if (choice === 'off') return null
  if (url === null) {
    if (key !== null) throw read.missing('LECTERN_EMBEDDINGS_URL', 'a key requires it')
    return { local: readLocalModel(model), folder, ...(model === null && { isDefault: true }) }
  }
  if (model === null) throw read.missing('LECTERN_EMBEDDINGS_MODEL', 'an endpoint requires it')
  return { url, model, key }
}

function readLocalModel(model: string | null): string {
  const names = localModels.map(({ name }) => name)
  const found = model === null ? names[0] : names.find((name) => name === model)
  if (found === undefined) {
    throw new ConfigError(
      `LECTERN_EMBEDDINGS_MODEL: got "${model}", takes ${names.join(', ')}, or with LECTERN_EMBEDDINGS_URL any name.`,
    )
  }
  return found
}

interface Endpoint {
  URL: string | null
  MODEL: string | null
  KEY: string | null
}

function readEndpoint(read: ReadVariable, prefix: string, call: RegExp, anthropic: boolean): Endpoint {
  const takes = 'the base address of the endpoint, such as http://127.0.0.1:11434/v1'
  const takesModel = "the model's name, as the endpoint knows it"
  return {
    URL: read(`${prefix}_URL`, null, takes, (text) => readApi(text, call, anthropic)),
    MODEL: read(`${prefix}_MODEL`, null, takesModel, matching(/^[^\p{Cc}]{1,200}$/u)),
    KEY: read(`${prefix}_KEY`, null, "the provider's key, without spaces", matching(keyForm)),
  }
}

/**
 * Converts any of the addresses that providers document to the base that their client expects. OpenAI's client expects
 * a trailing `/v1`. Anthropic's adds it.
 *
 *   http://host/v1/chat/completions → http://host/v1
 *   http://host                     → http://host/v1, for Anthropic http://host
 */
function readApi(text: string, call: RegExp, anthropic: boolean): string | undefined {
  const base = readBase(text)?.replace(call, '')
  if (base === undefined || anthropic) return base?.replace(/\/v1$/, '')
  return new URL(base).pathname === '/' ? `${base}/v1` : base
}
