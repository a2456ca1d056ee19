// OpenAI's client, set up for one endpoint: it asks once, logs nothing, and takes nothing from the environment.
import OpenAI from 'openai'
import { createProviderFetch } from '../provider-fetch.ts'

export interface Endpoint {
  /** Base address, `/v1` in it; null is OpenAI's own. */
  url: string | null
  /** Null: none is sent. */
  key: string | null
}

export function createOpenaiClient({ url, key }: Endpoint): OpenAI {
  return new OpenAI({
    baseURL: url ?? 'https://api.openai.com/v1',
    // The client wants one; without a key the header that would carry it is taken out.
    apiKey: key ?? 'none',
    ...(key === null && { defaultHeaders: { authorization: null } }),
    adminAPIKey: null,
    organization: null,
    project: null,
    webhookSecret: null,
    maxRetries: 0,
    // Silence is watched by those who call.
    timeout: 2 ** 31 - 1,
    logLevel: 'off',
    fetch: createProviderFetch(),
  })
}
