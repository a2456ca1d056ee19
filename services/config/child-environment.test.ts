import { expect, test } from 'vitest'
import { toChildEnvironment } from './variable.ts'

test('a program that Lectern starts is told nothing of its settings', () => {
  const environment = { PATH: '/bin', HTTPS_PROXY: 'http://proxy', LECTERN_SECRET: 'x', LECTERN_LLM_KEY: 'y' }
  expect(toChildEnvironment(environment)).toEqual({ PATH: '/bin', HTTPS_PROXY: 'http://proxy' })
})
