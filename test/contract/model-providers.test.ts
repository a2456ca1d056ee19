import { expect, test } from 'vitest'
import { createModel } from '../../services/create-model.ts'
import { createAnthropicModel } from '../../services/model/anthropic-model.ts'
import { createOpenaiModel } from '../../services/model/openai-model.ts'
import { describeProviderModel } from './model.suite.ts'

describeProviderModel('an OpenAI-compatible server', (setting) =>
  createOpenaiModel({ ...setting, provider: 'openai-compatible', model: 'scripted' }),
)
describeProviderModel('OpenAI', (setting) =>
  createOpenaiModel({ ...setting, provider: 'openai', model: 'gpt-5.1' }),
)
describeProviderModel('Anthropic', ({ url, ...setting }) =>
  createAnthropicModel({ ...setting, url: url.replace(/\/v1$/, ''), model: 'claude-scripted' }),
)

test.each(['openai-compatible', 'openai', 'anthropic'] as const)('opens %s by its name', async (provider) => {
  const model = createModel({ provider, url: null, model: 'm', key: 'k', timeout: 1, verify: false })
  expect(model.name).toBe(`${provider}:m`)
})
