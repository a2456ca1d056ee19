import { expect, test } from 'vitest'
import { readEmbeddings, readLlm } from './models.ts'
import { ConfigError, createVariables, type Environment } from './variable.ts'

const llm = (environment: Environment) => readLlm(createVariables(environment))
const embeddings = (environment: Environment) => readEmbeddings(createVariables(environment), '/data')

test('has no language model without variables', () => {
  expect(llm({})).toBeNull()
  expect(llm({ LECTERN_LLM_URL: ' ', LECTERN_LLM_TIMEOUT: '5' })).toBeNull()
})

test('embeds with the first local model by default, from files in the data folder', () => {
  expect(embeddings({})).toEqual({ local: 'all-minilm-l6-v2', isDefault: true, folder: '/data/models' })
  expect(embeddings({ LECTERN_EMBEDDINGS: 'local', LECTERN_MODELS: '/models' })).toEqual({
    local: 'all-minilm-l6-v2',
    isDefault: true,
    folder: '/models',
  })
  expect(embeddings({ LECTERN_EMBEDDINGS_MODEL: 'multilingual-e5-small' })).toEqual({
    local: 'multilingual-e5-small',
    folder: '/data/models',
  })
})

test('off disables embeddings, whatever else is set', () => {
  expect(embeddings({ LECTERN_EMBEDDINGS: 'off' })).toBeNull()
  const endpoint = { LECTERN_EMBEDDINGS_URL: 'http://h', LECTERN_EMBEDDINGS_MODEL: 'e5' }
  expect(embeddings({ ...endpoint, LECTERN_EMBEDDINGS: 'off' })).toBeNull()
})

test('an OpenAI-compatible server needs only an address and a model', () => {
  expect(llm({ LECTERN_LLM_URL: 'http://localhost:11434/v1/', LECTERN_LLM_MODEL: 'small' })).toEqual({
    provider: 'openai-compatible',
    url: 'http://localhost:11434/v1',
    model: 'small',
    key: null,
    timeout: 60,
    verify: false,
  })
})

test('a language model verifies citations if the setting is on, which requires a model', () => {
  const good = { LECTERN_LLM_URL: 'http://h', LECTERN_LLM_MODEL: 'm' }
  expect(llm({ ...good, LECTERN_LLM_VERIFY: 'on' })).toMatchObject({ verify: true })
  expect(llm({ ...good, LECTERN_LLM_VERIFY: 'off' })).toMatchObject({ verify: false })
  expect(() => llm({ ...good, LECTERN_LLM_VERIFY: 'yes' })).toThrow(
    'LECTERN_LLM_VERIFY: got "yes", takes on, off',
  )
  expect(() => llm({ LECTERN_LLM_VERIFY: 'on' })).toThrow(
    'LECTERN_LLM_VERIFY: got "on", takes off where no language model is set.',
  )
})

test.each(['openai', 'anthropic'])('%s needs a model and a key, and has a default address', (provider) => {
  const good = { LECTERN_LLM_PROVIDER: provider, LECTERN_LLM_MODEL: 'large', LECTERN_LLM_KEY: 'sk-1' }
  expect(llm({ ...good, LECTERN_LLM_TIMEOUT: '5' })).toEqual({
    provider,
    url: null,
    model: 'large',
    key: 'sk-1',
    timeout: 5,
    verify: false,
  })
})

const addresses: [provider: string, given: string, base: string][] = [
  ['openai-compatible', 'http://h:1', 'http://h:1/v1'],
  ['openai-compatible', 'http://h:1/v1/chat/completions', 'http://h:1/v1'],
  ['openai-compatible', 'https://h/api/v3/', 'https://h/api/v3'],
  ['openai', 'https://h', 'https://h/v1'],
  ['anthropic', 'https://h', 'https://h'],
  ['anthropic', 'https://h/v1', 'https://h'],
  ['anthropic', 'https://h/proxy/v1/messages', 'https://h/proxy'],
]

test.each(addresses)('%s reads %s as %s', (provider, given, base) => {
  const config = llm({
    LECTERN_LLM_PROVIDER: provider,
    LECTERN_LLM_URL: given,
    LECTERN_LLM_MODEL: 'm',
    LECTERN_LLM_KEY: 'k',
  })
  expect(config!.url).toBe(base)
})

test.each([
  ['http://h:1', 'http://h:1/v1'],
  ['http://h/v1/embeddings', 'http://h/v1'],
])('reads %s as %s for embeddings', (given, url) => {
  expect(embeddings({ LECTERN_EMBEDDINGS_URL: given, LECTERN_EMBEDDINGS_MODEL: 'e5' })).toEqual({
    url,
    model: 'e5',
    key: null,
  })
})

const good = { LECTERN_LLM_URL: 'http://h/v1', LECTERN_LLM_MODEL: 'm' }
const openai = { LECTERN_LLM_PROVIDER: 'openai', LECTERN_LLM_MODEL: 'm', LECTERN_LLM_KEY: 'k' }

const endpoint = { LECTERN_EMBEDDINGS_URL: 'http://h', LECTERN_EMBEDDINGS_MODEL: 'm' }

test('an endpoint takes precedence over the local model', () => {
  expect(embeddings({ ...endpoint, LECTERN_EMBEDDINGS: 'local' })).toEqual({
    url: 'http://h/v1',
    model: 'm',
    key: null,
  })
})

const bad: [name: string, environment: Environment][] = [
  ['LECTERN_LLM_PROVIDER', { ...good, LECTERN_LLM_PROVIDER: 'mystery' }],
  ['LECTERN_LLM_URL', { ...good, LECTERN_LLM_URL: 'localhost:11434' }],
  ['LECTERN_LLM_URL', { ...good, LECTERN_LLM_URL: 'http://u:hunter2@h/v1' }],
  ['LECTERN_LLM_URL', { ...good, LECTERN_LLM_URL: 'http://h/v1?key=1' }],
  ['LECTERN_LLM_URL', { LECTERN_LLM_MODEL: 'm' }],
  ['LECTERN_LLM_URL', { LECTERN_LLM_KEY: 'k' }],
  ['LECTERN_LLM_URL', { LECTERN_LLM_PROVIDER: 'openai-compatible' }],
  ['LECTERN_LLM_MODEL', { LECTERN_LLM_URL: 'http://h/v1' }],
  ['LECTERN_LLM_MODEL', { ...openai, LECTERN_LLM_MODEL: '' }],
  ['LECTERN_LLM_KEY', { ...openai, LECTERN_LLM_KEY: '' }],
  ['LECTERN_LLM_KEY', { ...openai, LECTERN_LLM_KEY: 'hunter2 hunter2' }],
  ['LECTERN_LLM_TIMEOUT', { ...good, LECTERN_LLM_TIMEOUT: '0' }],
  ['LECTERN_LLM_TIMEOUT', { ...good, LECTERN_LLM_TIMEOUT: '3601' }],
  ['LECTERN_LLM_TIMEOUT', { LECTERN_LLM_TIMEOUT: 'soon' }],
  ['LECTERN_EMBEDDINGS', { LECTERN_EMBEDDINGS: 'on' }],
  ['LECTERN_EMBEDDINGS_MODEL', { LECTERN_EMBEDDINGS_MODEL: 'm' }],
  ['LECTERN_EMBEDDINGS_URL', { LECTERN_EMBEDDINGS_KEY: 'k' }],
  ['LECTERN_EMBEDDINGS_MODEL', { LECTERN_EMBEDDINGS_URL: 'http://h' }],
]

test.each(bad)('%s stops the start with one line that names the variable: %o', (name, environment) => {
  const start = () => {
    llm(environment)
    embeddings(environment)
  }
  expect(start).toThrow(ConfigError)
  expect(start).toThrow(new RegExp(`^${name}: got [^\n]+, takes [^\n]+$`))
  expect(start).not.toThrow(/hunter2/)
})
